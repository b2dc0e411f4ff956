package conversation_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// gallery returns a tool whose result has files with names of its argument, and text in the place of what the model does not get.
func gallery() tool.Tool {
	contents := map[string]string{"image": png, "sound": mp3, "other": flac, "text": "no image"}
	return newTool("Gallery", true, func(_ context.Context, call tool.Call) (string, error) {
		var out []string
		for name := range strings.FieldsSeq(call.Args["path"].(string)) {
			shownAs, err := call.Attach(name, []byte(contents[name]))
			if err != nil {
				shownAs = err.Error()
			}
			out = append(out, shownAs)
		}
		return strings.Join(out, "; "), nil
	})
}

// TestResultParts has a row for each rule about images in the result of a tool.
func TestResultParts(t *testing.T) {
	t.Parallel()
	redacted := "redacted"
	const neither = "it is neither an image (PNG, JPEG, GIF, WebP), nor audio (WAV, MP3, AIFF, AAC, Ogg, FLAC), nor a PDF file"
	for name, row := range map[string]struct {
		capabilities []string
		hooks        hooks
		files        string
		result, sent string
	}{
		"taken":       {[]string{"vision"}, nil, "image", "image", "image image/png"},
		"unknown":     {nil, nil, "image sound", "image; sound", "image image/png, sound audio/mpeg"},
		"text":        {nil, nil, "text", neither, ""},
		"audio":       {[]string{"audio"}, nil, "sound", "sound", "sound audio/mpeg"},
		"refused":     {[]string{"tools"}, nil, "image sound", "model fake of provider fakes takes no images; model fake of provider fakes takes no audio", ""},
		"other audio": {[]string{"audio"}, nil, "other", "model fake of provider fakes takes audio as audio/wav and audio/mpeg only, not as audio/flac", ""},
		"same name":   {nil, nil, "image image", "image; image, file 2", "image image/png, image, file 2 image/png"},
		"replaced":    {[]string{"vision"}, on(hookpoint.AfterToolExecution, sdk.Result{Output: &redacted}), "image", "redacted", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, options{hooks: row.hooks, tools: []tool.Tool{gallery()}, change: sees(row.capabilities...)}, calls("", fmt.Sprintf(`Gallery {"path":%q}`, row.files)), text("nice"))
			if err := r.Send(t.Context(), "go"); err != nil {
				t.Fatal(err)
			}
			last := r.model.requests[1].Messages
			if got := names(last); got != row.sent {
				t.Errorf("sent %q, want %q", got, row.sent)
			}
			at := len(last) - 1
			if row.sent != "" {
				if m := last[at]; m.Role != llm.RoleUser || !m.Synthetic || !strings.Contains(m.Content, `<file path="`+m.Parts[0].Name+`" type="`) {
					t.Errorf("the files are in %+v", m)
				}
				at--
			}
			if got := last[at].Content; got != row.result {
				t.Errorf("the result is %q", got)
			}
		})
	}
}

// TestPartNames checks that no two files of a turn, or of the resources of a prompt, have one name.
func TestPartNames(t *testing.T) {
	t.Parallel()
	r := start(t, options{tools: []tool.Tool{gallery()}, change: sees("vision", "audio")},
		calls("", `Gallery {"path":"image"}`, `Gallery {"path":"image sound"}`, `Gallery {"path":"image image"}`), text("nice"))
	resource := conversation.Attachment{Tool: "Gallery", Path: "a", Args: map[string]any{"path": "image"}}
	if err := r.Send(t.Context(), "go", resource, resource); err != nil {
		t.Fatal(err)
	}
	messages := r.model.requests[1].Messages
	const want = "image image/png, image of result 2 image/png, " + // of the prompt
		"image image/png, image of result 2 image/png, sound of result 2 audio/mpeg, image of result 3 image/png, image of result 3, file 2 image/png"
	if got := names(messages); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
