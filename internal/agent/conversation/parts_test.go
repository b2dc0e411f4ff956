package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// The beginnings of an image, of a PDF file and of audio.
const (
	png  = "\x89PNG\r\n\x1a\n"
	pdf  = "%PDF-1.7\n"
	mp3  = "ID3\x04\x00\x00"
	flac = "fLaC\x00\x00\x00\x00"
)

// camera returns a reader that returns its path argument as the content of an image, and fails for files that are too large.
func camera() tool.Tool {
	return newTool("Read", true, func(_ context.Context, call tool.Call) (string, error) {
		path := call.Args["path"].(string)
		if path == "large" {
			call.File(tool.File{Type: "image/png"})
			return "", errors.New("it is too large")
		}
		call.File(tool.File{Type: "image/png", Data: []byte(png + path)})
		return "image/png", nil
	})
}

// sees sets the capabilities of the model and its reader. Requests to the service can hold two types of audio.
func sees(capabilities ...string) func(*conversation.Config) {
	return func(c *conversation.Config) {
		c.Provider.(provider).Capabilities = capabilities
		c.Provider.(provider).Audio = []string{files.WAV, files.MP3}
		c.Reader = camera()
	}
}

// names returns the names and types of the parts of all messages.
func names(messages []llm.Message) string {
	var out []string
	for _, m := range messages {
		for _, p := range m.Parts {
			out = append(out, p.Name+" "+p.Type)
		}
	}
	return strings.Join(out, ", ")
}

// TestParts has a row for each rule about media files that are sent with a prompt.
func TestParts(t *testing.T) {
	t.Parallel()
	path := func(names ...string) (out []conversation.Attachment) {
		for _, name := range names {
			out = append(out, conversation.Attachment{Path: name})
		}
		return out
	}
	data := func(contents ...string) (out []conversation.Attachment) {
		for _, content := range contents {
			out = append(out, conversation.Attachment{Data: []byte(content)})
		}
		return out
	}
	redacted := "redacted"
	many := make([]string, limit.Parts+1)
	for i := range many {
		many[i] = png
	}
	for name, row := range map[string]struct {
		capabilities []string
		hooks        hooks
		attached     []conversation.Attachment
		// sent holds the parts of the request, text its last message. refused is part of the error.
		sent, text, refused string
	}{
		"by path":           {[]string{"vision"}, nil, path("a", "b"), "a image/png, b image/png", "go\n\n<file path=\"a\" type=\"image/png\" />\n\n<file path=\"b\" type=\"image/png\" />", ""},
		"pasted":            {[]string{"vision", "files"}, nil, data(png, pdf), "pasted-1.png image/png, pasted-2.pdf application/pdf", "go\n\n<file path=\"pasted-1.png\" type=\"image/png\" />\n\n<file path=\"pasted-2.pdf\" type=\"application/pdf\" />", ""},
		"nothing is known":  {nil, nil, data(png), "pasted-1.png image/png", "go\n\n<file path=\"pasted-1.png\" type=\"image/png\" />", ""},
		"redacted":          {[]string{"vision"}, on(hookpoint.AfterToolExecution, sdk.Result{Output: &redacted}), path("a"), "", "go\n\n<file path=\"a\">\nredacted\n</file>", ""},
		"blind":             {[]string{"tools"}, nil, path("a"), "", "", `attaching a: model fake of provider fakes takes no images; choose a model that does with --model or /model, or add "vision" to model.capabilities`},
		"no files":          {[]string{"vision"}, nil, data(pdf), "", "", `takes no PDF files; choose a model that does with --model or /model, or add "files"`},
		"not recognized":    {nil, nil, data("text"), "", "", "it is neither an image (PNG, JPEG, GIF, WebP), nor audio (WAV, MP3, AIFF, AAC, Ogg, FLAC), nor a PDF file"},
		"audio":             {[]string{"audio"}, nil, data(mp3), "pasted-1.mp3 audio/mpeg", "go\n\n<file path=\"pasted-1.mp3\" type=\"audio/mpeg\" />", ""},
		"named data":        {nil, nil, []conversation.Attachment{{Data: []byte(png), Name: "image-1"}}, "image-1 image/png", "go\n\n<file path=\"image-1\" type=\"image/png\" />", ""},
		"deaf":              {[]string{"vision"}, nil, data(mp3), "", "", `takes no audio; choose a model that does with --model or /model, or add "audio" to model.capabilities`},
		"other audio":       {[]string{"audio"}, nil, data(flac), "", "", "model fake of provider fakes takes audio as audio/wav and audio/mpeg only, not as audio/flac; convert the file"},
		"too large audio":   {nil, nil, data(mp3 + strings.Repeat("x", limit.Audio)), "", "", "an attached file of type audio/mpeg has at most 14 MiB"},
		"too large":         {nil, nil, data(png + strings.Repeat("x", limit.Image)), "", "", fmt.Sprintf("it has %d bytes, and an attached file of type image/png has at most 5 MiB", limit.Image+len(png))},
		"too large to read": {nil, nil, path("large"), "", "", "attaching large: it is too large"},
		"too many":          {nil, nil, data(many...), "", "", "a prompt takes at most 20 images, audio files and PDF files"},
		"too much":          {nil, nil, data(pdf+strings.Repeat("x", limit.PartBytes-20), png+strings.Repeat("x", 20)), "", "", "and at most 32 MiB are sent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, options{hooks: row.hooks, change: sees(row.capabilities...)}, text("end"))
			err := b.Send(t.Context(), "go", row.attached...)
			if row.refused != "" {
				if err == nil || !strings.Contains(err.Error(), row.refused) || !strings.HasPrefix(err.Error(), "the prompt was not sent: ") {
					t.Errorf("got %v, want %s", err, row.refused)
				}
				if len(b.model.requests)+len(b.History())+len(b.journal.messages) > 0 {
					t.Error("something was sent or kept")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			messages := b.model.requests[0].Messages
			same(t, "sent", names(messages), row.sent)
			same(t, "text", messages[len(messages)-1].Content, row.text)
			same(t, "saved", names(b.journal.messages), row.sent)
			var shown []string
			for _, a := range only[event.Message](b)[0].Attachments {
				shown = append(shown, a.Name+" "+a.MediaType)
			}
			same(t, "shown", strings.Join(shown, ", "), row.sent)
		})
	}
}

// TestNoAudio checks that a service whose requests hold no audio is sent none, whatever is known about the model.
func TestNoAudio(t *testing.T) {
	t.Parallel()
	for _, capabilities := range [][]string{nil, {"audio"}} {
		b := start(t, options{change: func(c *conversation.Config) { c.Provider.(provider).Capabilities = capabilities }}, text("end"))
		err := b.Send(t.Context(), "go", conversation.Attachment{Data: []byte(mp3)})
		const want = "takes no audio; choose a model that does with --model or /model"
		if err == nil || !strings.HasSuffix(err.Error(), want) || len(b.model.requests) > 0 {
			t.Errorf("%q: %v", capabilities, err)
		}
	}
}

func TestRequired(t *testing.T) {
	t.Parallel()
	broken := newTool("Read", true, func(context.Context, tool.Call) (string, error) { return "", errors.New("no luck") })
	b := start(t, options{change: func(c *conversation.Config) { c.Reader = broken }}, text("end"))
	err := b.Send(t.Context(), "go", conversation.Attachment{Path: "a", Required: true})
	if err == nil || err.Error() != "the prompt was not sent: attaching a: no luck" || len(b.model.requests) > 0 {
		t.Errorf("got %v", err)
	}
}

func TestAttachable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{"a.png": png, "a.txt": "text", "large.png": png + strings.Repeat("x", limit.Image)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := start(t, options{change: func(c *conversation.Config) {
		sees("vision")(c)
		c.Workdir = dir
	}}, text("end"))
	for name, row := range map[string]struct {
		attachment conversation.Attachment
		want       event.Attachment
		refused    string
	}{
		"a path":        {conversation.Attachment{Path: "a.png"}, event.Attachment{Name: "a.png", MediaType: "image/png", Size: 8}, ""},
		"absolute":      {conversation.Attachment{Path: filepath.Join(dir, "a.png")}, event.Attachment{Name: filepath.Join(dir, "a.png"), MediaType: "image/png", Size: 8}, ""},
		"data":          {conversation.Attachment{Data: []byte(png)}, event.Attachment{Name: "pasted-1.png", MediaType: "image/png", Size: 8}, ""},
		"text":          {conversation.Attachment{Path: "a.txt"}, event.Attachment{}, "attaching a.txt: it is neither an image"},
		"too large":     {conversation.Attachment{Path: "large.png"}, event.Attachment{}, "has at most 5 MiB"},
		"a directory":   {conversation.Attachment{Path: dir}, event.Attachment{}, "not a regular file"},
		"nothing there": {conversation.Attachment{Path: "b"}, event.Attachment{}, "attaching b: "},
		"not taken":     {conversation.Attachment{Data: []byte(pdf)}, event.Attachment{}, "takes no PDF files"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := b.Attachable(t.Context(), row.attachment)
			same(t, "described", got, row.want)
			if (err == nil) != (row.refused == "") || err != nil && !strings.Contains(err.Error(), row.refused) {
				t.Errorf("got %v, want %q", err, row.refused)
			}
		})
	}
}

// TestPartTokens checks that files count in the estimate, also in a message that a plugin changes.
func TestPartTokens(t *testing.T) {
	t.Parallel()
	var counted []int
	change := when(hookpoint.TransformMessages, func(c sdk.TransformContext) (any, error) {
		counted = append(counted, c.Messages[0].Tokens)
		c.Messages[0].Content = "changed"
		return c.Messages, nil
	})
	look := hooks{hookpoint.TransformMessages: {{"q", func(in any) (any, error) {
		c := in.(sdk.TransformContext)
		counted = append(counted, c.Messages[0].Tokens)
		return c.Messages, nil
	}}}}
	b := start(t, options{hooks: both(change, look), change: sees("vision")}, text("end"))
	if err := b.Send(t.Context(), "go", conversation.Attachment{Path: "a"}); err != nil {
		t.Fatal(err)
	}
	if state := b.Context().Tokens; state.Estimate < 1600 || len(counted) != 2 || counted[0] < 1600 || counted[1] < 1600 {
		t.Errorf("the estimate is %d, plugins see %v", state.Estimate, counted)
	}
	same(t, "sent", names(b.model.requests[0].Messages), "a image/png")
}

// TestDetach checks which failures remove the files that the model has not seen.
func TestDetach(t *testing.T) {
	t.Parallel()
	seen := text("seen")
	for name, row := range map[string]struct {
		replies []reply
		kept    string
	}{
		"rejected":         {[]reply{seen, fails("", "bad image")}, "a image/png"},
		"too long":         {[]reply{seen, fails(sdk.ErrorTypeContextExhausted, "too long")}, "a image/png"},
		"server":           {[]reply{seen, fails(sdk.ErrorTypeServer, "oh")}, "a image/png, b image/png"},
		"seen before":      {[]reply{seen, calls("", "T {}"), fails("", "bad")}, "a image/png, b image/png"},
		"first prompt too": {[]reply{fails("", "bad")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, options{change: sees("vision")}, row.replies...)
			first := b.Send(t.Context(), "one", conversation.Attachment{Path: "a"})
			err := b.Send(t.Context(), "two", conversation.Attachment{Path: "b"})
			if err == nil || (first == nil) != (len(row.replies) > 1) {
				t.Fatalf("got %v, %v", first, err)
			}
			same(t, "kept", names(b.History()), row.kept)
			same(t, "saved", names(b.journal.messages), row.kept)
			same(t, "messages", lines(b.journal.messages), lines(b.History()))
			if told := strings.Contains(err.Error(), "are removed from the conversation"); told == strings.Contains(row.kept, "b ") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestMostlyFiles checks that a history is not summarised if the files of the prompt are what is too long.
func TestMostlyFiles(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]int{"short": 0, strings.Repeat("a long prompt ", 2000): 1} {
		b := start(t, options{change: sees("vision")}, text("one"), fails(sdk.ErrorTypeContextExhausted, "too long"))
		b.send(t, prompt)
		if err := b.Send(t.Context(), "two", conversation.Attachment{Path: "a"}); err == nil {
			t.Error("the prompt was answered")
		}
		if got := len(only[event.Compaction](b)); got != want {
			t.Errorf("%.10s: compacted %d times, want %d", prompt, got, want)
		}
	}
}
