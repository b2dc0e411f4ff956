package llmtest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/sdk"
)

// conversations sends histories as plugins, interruptions and other models leave them. The server must accept all of them.
func (s Suite) conversations(t *testing.T) {
	t.Helper()
	say := func(role llm.Role, text string) llm.Message { return llm.Message{Role: role, Content: text} }
	call := func(id, name, arguments string) llm.Message {
		return llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: id, Name: name, Arguments: json.RawMessage(arguments)}}}
	}
	result := func(id, text string) llm.Message {
		return llm.Message{Role: llm.RoleTool, ToolCallID: id, ToolName: "Read", Content: text}
	}
	system, hi := say(llm.RoleSystem, "Be brief."), say(llm.RoleUser, "hi")
	two := call("1", "Read", `{"path":"a"}`)
	two.ToolCalls = append(two.ToolCalls, llm.ToolCall{ID: "2", Name: "Read", Arguments: json.RawMessage(`{"path":"b"}`)})
	foreign := call("functions.Read:0/"+strings.Repeat("x", 100), "Read", `{}`)
	foreign.Thinking, foreign.ThinkingBlocks = "changed", []llm.ThinkingBlock{{Text: "as it was", Signature: "of another service"}}
	attached := func(text string, parts ...llm.Part) llm.Message {
		return llm.Message{Role: llm.RoleUser, Content: text, Parts: parts}
	}
	for name, messages := range map[string][]llm.Message{
		"no system prompt":      {hi},
		"system in between":     {system, hi, say(llm.RoleSystem, "Be kind."), hi},
		"two users":             {system, hi, hi},
		"two models":            {system, hi, say(llm.RoleAssistant, "a"), say(llm.RoleAssistant, "b"), hi},
		"model first":           {system, say(llm.RoleAssistant, "A summary."), hi},
		"model last":            {system, hi, say(llm.RoleAssistant, "A reminder.")},
		"empty messages":        {system, say(llm.RoleUser, ""), hi, say(llm.RoleAssistant, ""), hi},
		"blank messages":        {system, hi, say(llm.RoleAssistant, " \n"), hi},
		"only a system prompt":  {system},
		"parallel calls":        {system, hi, two, result("1", "x"), result("2", "y")},
		"results swapped":       {system, hi, two, result("2", "y"), result("1", "x")},
		"empty result":          {system, hi, call("1", "Read", `{}`), result("1", "")},
		"message after results": {system, hi, call("1", "Read", `{}`), result("1", "x"), hi},
		"model after results":   {system, hi, call("1", "Read", `{}`), result("1", "x"), say(llm.RoleAssistant, "[note]"), hi},
		"message before result": {system, hi, call("1", "Read", `{}`), hi, result("1", "x")},
		"orphaned result":       {system, hi, result("1", "x")},
		"missing result":        {system, hi, two, result("2", "y"), hi},
		"interrupted":           {system, hi, two},
		"same id again":         {system, hi, call("1", "Read", `{}`), result("1", "x"), call("1", "Read", `{}`), result("1", "y")},
		"no id":                 {system, hi, call("", "Read", `{}`), result("", "x")},
		"id of another service": {system, hi, foreign, result(foreign.ToolCalls[0].ID, "x")},
		"malformed arguments":   {system, hi, call("1", "Read", `{"path": `), result("1", "cannot be read")},
		"arguments of no kind":  {system, hi, call("1", "Read", ``), result("1", "x"), call("2", "Read", `[1]`), result("2", "y")},
		"unknown tool":          {system, hi, call("1", "no such tool!", `{}`), result("1", "unknown")},
		"tool without a name":   {system, hi, call("1", "", `{}`), result("1", "unknown")},
		"invalid UTF-8":         {system, say(llm.RoleUser, "h\xffi")},
		"an image":              {system, attached("look", png)},
		"each kind of file":     {system, attached("look", png, jpeg, gif, webp, pdf), say(llm.RoleAssistant, "ok"), hi},
		"only an image":         {system, attached("", png)},
		"two with images":       {system, attached("a", png), attached("b", png)},
		"image after results":   {system, hi, call("1", "Read", `{}`), result("1", "x"), attached("look", png)},
		"image of a model":      {system, hi, {Role: llm.RoleAssistant, Content: "a", Parts: []llm.Part{png}}, hi},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := s.Start(t, Text("ok"), Text("ok"))
			provider := s.New(server.URL, nil)
			if _, err := provider.Chat(t.Context(), s.request(messages...), func(llm.Delta) {}); err != nil {
				t.Error(err)
			}
			// Tools may be disabled in the middle of a conversation.
			without := s.request(messages...)
			without.Tools = nil
			if _, err := provider.Chat(t.Context(), without, func(llm.Delta) {}); err != nil {
				t.Errorf("without tools: %v", err)
			}
		})
	}
}

// secondTurn sends the model's answer back, with the results of its calls.
func (s Suite) secondTurn(t *testing.T) {
	t.Helper()
	arguments := `{"path": "a`
	if s.Objects {
		arguments = `{"path": "a"}`
	}
	for name, first := range map[string]Reply{
		"thinking and calls": {Thinking: "hm", Redacted: "secret", Text: "See.", ToolCalls: []ToolCall{{Name: "Read", Arguments: `{"path":"a"}`}, {Name: longTool, Arguments: `{}`}}},
		"same id twice":      {ToolCalls: []ToolCall{{ID: "1", Name: "Read", Arguments: `{}`}, {ID: "1", Name: "Read", Arguments: `{}`}}},
		"malformed":          {ToolCalls: []ToolCall{{Name: "Read", Arguments: arguments}}},
		"no arguments":       {ToolCalls: []ToolCall{{Name: "Read", Arguments: `{}`}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := s.Start(t, s.sent(first), Text("Done."))
			provider, request := s.New(server.URL, nil), s.request()
			request.Think = llm.ThinkMedium
			answer, err := provider.Chat(t.Context(), request, func(llm.Delta) {})
			if err != nil {
				t.Fatal(err)
			}
			request.Messages = append(request.Messages, answer.Message)
			for _, call := range answer.Message.ToolCalls {
				request.Messages = append(request.Messages, llm.Message{Role: llm.RoleTool, ToolCallID: call.ID, ToolName: call.Name, Content: "ok"})
			}
			if got, err := provider.Chat(t.Context(), request, func(llm.Delta) {}); err != nil || got.Message.Content != "Done." {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

// stalls checks that a silent service is abandoned after 30 s, in simulated time. A service that falls silent after a complete
// answer is not an error.
func (s Suite) stalls(t *testing.T) {
	t.Helper()
	server := s.Start(t)
	asked, err := server.protocol.parse("", []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	said, end := asked.events(1, Text("Hello"))
	begun := strings.Join(said, "")
	for name, test := range map[string]struct {
		says  string
		fails bool
	}{
		"at once": {"", true}, "in the middle": {begun, true}, "after all is said": {begun + end[0], false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				service := &http.Client{Transport: silent{says: test.says}}
				response, err := s.New(server.URL, service).Chat(t.Context(), s.request(), func(llm.Delta) {})
				failure, ok := errors.AsType[*llm.Error](err)
				switch {
				case !test.fails && (err != nil || response.Message.Content != "Hello"):
					t.Errorf("got %+v, %v", response, err)
				case test.fails && (!ok || failure.Type != sdk.ErrorTypeNetwork || !strings.Contains(failure.Message, "no data for 30s")):
					t.Errorf("got %v", err)
				}
				if took := time.Since(began); took != 30*time.Second {
					t.Errorf("took %s", took)
				}
			})
		})
	}
}

// silent is a service that sends says, which may be empty, and then nothing more.
type silent struct{ says string }

func (s silent) RoundTrip(req *http.Request) (*http.Response, error) {
	if s.says == "" {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	r, w := io.Pipe()
	go func() {
		_, _ = io.WriteString(w, s.says)
		<-req.Context().Done()
		_ = w.CloseWithError(req.Context().Err())
	}()
	header := http.Header{"Content-Type": {"text/event-stream"}}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: r, Request: req}, nil
}

// The smallest files of each kind that the servers recognize.
var (
	png  = llm.Part{Name: "a.png", Type: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}
	jpeg = llm.Part{Name: "dir/a.jpg", Type: "image/jpeg", Data: []byte("\xff\xd8\xff\xe0")}
	gif  = llm.Part{Name: "a.gif", Type: "image/gif", Data: []byte("GIF89a")}
	webp = llm.Part{Name: "a.webp", Type: "image/webp", Data: []byte("RIFF\x00\x00\x00\x00WEBPVP8 ")}
	pdf  = llm.Part{Name: "a.pdf", Type: "application/pdf", Data: []byte("%PDF-1.7\n")}
)

// sounds holds the smallest audio files that the servers recognize.
var sounds = map[string]string{
	files.WAV:  "RIFF\x00\x00\x00\x00WAVEfmt ",
	files.MP3:  "ID3\x04\x00\x00",
	files.AIFF: "FORM\x00\x00\x00\x04AIFF",
	files.AAC:  "\xff\xf1\x50\x80",
	files.OGG:  "OggS" + strings.Repeat("\x00", 22) + "\x01\x13OpusHead",
	files.FLAC: "fLaC\x00\x00\x00\x00",
}

// audio checks that the audio that the service takes reaches it whole, and that the model refuses the other types.
func (s Suite) audio(t *testing.T) {
	t.Helper()
	server := s.Start(t, Text("ok"))
	provider := s.New(server.URL, nil)
	model, err := provider.Model(t.Context(), s.Model)
	if err != nil {
		t.Fatal(err)
	}
	model.Capabilities = nil
	var parts []llm.Part
	var want []string
	for _, mediaType := range files.AudioTypes() {
		if refused := model.Refuses(mediaType); refused == slices.Contains(s.Audio, mediaType) {
			t.Errorf("%s is refused: %v", mediaType, refused)
		} else if !refused {
			parts = append(parts, llm.Part{Name: "a", Type: mediaType, Data: []byte(sounds[mediaType])})
			want = append(want, mediaLine(mediaType, base64.StdEncoding.EncodeToString([]byte(sounds[mediaType]))))
		}
	}
	message := llm.Message{Role: llm.RoleUser, Content: "listen", Parts: parts}
	if _, err := provider.Chat(t.Context(), s.request(message), func(llm.Delta) {}); err != nil {
		t.Fatal(err)
	}
	if got := server.Requests()[0].Lines(); !slices.Equal(got, append(want, "user: listen")) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// files checks that images and PDF files reach the service whole, in order and before the text.
func (s Suite) files(t *testing.T) {
	t.Helper()
	server := s.Start(t, Text("ok"))
	message := llm.Message{Role: llm.RoleUser, Content: "look", Parts: []llm.Part{png, pdf, jpeg}}
	if _, err := s.New(server.URL, nil).Chat(t.Context(), s.request(message), func(llm.Delta) {}); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(server.Requests()[0].Lines(), "; ")
	if want := "attached: image/png, 8 bytes; attached: application/pdf, 9 bytes; attached: image/jpeg, 4 bytes; user: look"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
