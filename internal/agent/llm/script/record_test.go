package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/script"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// answers is a provider with prepared answers.
type answers struct {
	list []func() (llm.Response, error)
	n    int
}

func (a *answers) Model(context.Context, string) (llm.Model, error) {
	return llm.Model{Name: "live", Family: "f", ParameterCount: 7, ContextLength: 100, Capabilities: []string{"tools"}}, nil
}

func (a *answers) Chat(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
	a.n++
	return a.list[a.n-1]()
}

func TestRecordedConversationPlaysAgain(t *testing.T) {
	t.Parallel()
	said := []llm.Response{
		{
			Message: llm.Message{Role: llm.RoleAssistant, Content: "Reading: \"it\"\n", Thinking: "hm", ToolCalls: []llm.ToolCall{
				{Name: "Read", Arguments: json.RawMessage(`{"path":"a","n":3}`)}, {Name: "Odd", Arguments: json.RawMessage(`{oops`)},
			}},
			Usage: llm.Usage{Input: 12, Output: 3},
		},
		{Message: llm.Message{Role: llm.RoleAssistant, Content: "Done."}, Usage: llm.Usage{Input: 20, Output: 4}},
	}
	failure := &llm.Error{Type: "rate_limit", Message: "slow down"}
	live := &answers{list: []func() (llm.Response, error){
		func() (llm.Response, error) { return said[0], nil },
		func() (llm.Response, error) { return llm.Response{}, failure },
		func() (llm.Response, error) { return said[1], nil },
	}}
	file := filepath.Join(t.TempDir(), "deep", "talk.yaml")
	recording := script.Record(live, "", file, nil, func(err error) { t.Error(err) })
	for range live.list {
		_, _ = recording.Chat(t.Context(), llm.Request{}, func(llm.Delta) {})
	}
	played, err := script.New(script.Options{File: file})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := played.Model(t.Context(), ""); err != nil || m.Name != "live" || m.ContextLength != 100 || m.ParameterCount != 7 {
		t.Errorf("got %+v, %v", m, err)
	}
	first, err := played.Chat(t.Context(), llm.Request{}, func(llm.Delta) {})
	if err != nil || first.Message.Content != said[0].Message.Content || first.Message.Thinking != "hm" || first.Usage != said[0].Usage {
		t.Errorf("got %+v, %v", first, err)
	}
	for i, c := range first.Message.ToolCalls {
		want := said[0].Message.ToolCalls[i]
		if c.Name != want.Name || !sameJSON(c.Arguments, want.Arguments) {
			t.Errorf("call %d is %s %s", i, c.Name, c.Arguments)
		}
	}
	_, err = played.Chat(t.Context(), llm.Request{}, func(llm.Delta) {})
	if class, ok := errors.AsType[*llm.Error](err); !ok || class.Type != "rate_limit" || class.Message != "slow down" {
		t.Errorf("got %v", err)
	}
	if last, err := played.Chat(t.Context(), llm.Request{}, func(llm.Delta) {}); err != nil || last.Message.Content != "Done." {
		t.Errorf("got %+v, %v", last, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read the recording: %v, %v", info.Mode(), err)
	}
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return string(a) == string(b)
	}
	return reflect.DeepEqual(x, y)
}

func TestRecordingThatFailsIsToldOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ok := func() (llm.Response, error) { return llm.Response{Message: llm.Message{Content: "a"}}, nil }
	var told []string
	p := script.Record(&answers{list: []func() (llm.Response, error){ok, ok}}, dir, filepath.Join(dir, "file", "talk.yaml"), nil, func(err error) { told = append(told, err.Error()) })
	for range 2 {
		if r, err := p.Chat(t.Context(), llm.Request{}, nil); err != nil || r.Message.Content != "a" {
			t.Errorf("got %+v, %v", r, err)
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], "recording the conversation") {
		t.Errorf("told %q", told)
	}
}

// TestRecordFollowsNoLinks puts a link in place of the directory of the file. As a control, the link is followed if it is located
// outside of the working directory.
func TestRecordFollowsNoLinks(t *testing.T) {
	t.Parallel()
	work, outside := t.TempDir(), t.TempDir()
	testneed.Link(t, outside, filepath.Join(work, "link"))
	ok := func() (llm.Response, error) { return llm.Response{Message: llm.Message{Content: "a"}}, nil }
	for workdir, want := range map[string]string{work: "a symbolic link, which is not followed here", t.TempDir(): ""} {
		told := ""
		file := filepath.Join(work, "link", "new", "talk.yaml")
		p := script.Record(&answers{list: []func() (llm.Response, error){ok}}, workdir, file, nil, func(err error) { told = err.Error() })
		if _, err := p.Chat(t.Context(), llm.Request{}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(outside, "new")); (err == nil) != (want == "") || !strings.Contains(told, want) {
			t.Errorf("told %q, %v", told, err)
		}
		if err := os.RemoveAll(filepath.Join(outside, "new")); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRecordHides checks that a recording contains no secrets, and that a link in place of the file is replaced and not
// followed.
func TestRecordHides(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, mine := filepath.Join(dir, "talk.yaml"), filepath.Join(dir, "mine")
	if err := os.WriteFile(mine, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	testneed.Link(t, mine, file)
	secrets := &redact.Current{}
	secrets.Set(redact.New("sk-12345678"))
	said := func() (llm.Response, error) {
		return llm.Response{Message: llm.Message{Content: "sk-12345678", Thinking: "a sk-12345678", ToolCalls: []llm.ToolCall{
			{Name: "Ls", Arguments: json.RawMessage(`{"path":["sk-12345678"]}`)},
		}}}, nil
	}
	recording := script.Record(&answers{list: []func() (llm.Response, error){said}}, "", file, secrets, func(err error) { t.Error(err) })
	if _, err := recording.Chat(t.Context(), llm.Request{}, func(llm.Delta) {}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(text), "sk-1") || strings.Count(string(text), redact.Mark) != 3 {
		t.Errorf("the recording is %s, %v", text, err)
	}
	if text, err := os.ReadFile(mine); err != nil || string(text) != "mine" {
		t.Errorf("what the link led to is %q, %v", text, err)
	}
}
