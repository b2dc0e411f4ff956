package script_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/script"
	"github.com/idelchi/aura/internal/base/files"
)

func play(t *testing.T, turns ...script.Turn) *script.Provider {
	t.Helper()
	p, err := script.New(script.Options{Script: script.Script{Turns: turns}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func discard(llm.Delta) {}

func TestChat(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("Grüße, 世界! ", 20)
	p := play(t,
		script.Turn{Text: text, Thinking: "héhé", Usage: &llm.Usage{Input: 120, Output: 30}, ToolCalls: []script.ToolCall{
			{Name: "Ls", Arguments: script.Arguments(`{"path":"."}`)},
			{Name: "Read", Arguments: script.Arguments(`{"path":`)},
			{Name: "Glob"},
		}},
		script.Turn{Text: "Done."},
	)
	var streamed []llm.Delta
	r, err := p.Chat(t.Context(), llm.Request{}, func(d llm.Delta) { streamed = append(streamed, d) })
	if err != nil {
		t.Fatal(err)
	}
	m := r.Message
	if m.Role != llm.RoleAssistant || m.Content != text || m.Thinking != "héhé" || m.CreatedAt.IsZero() {
		t.Errorf("got %+v", m)
	}
	wantCalls := []llm.ToolCall{
		{ID: "call_1", Name: "Ls", Arguments: []byte(`{"path":"."}`)},
		{ID: "call_2", Name: "Read", Arguments: []byte(`{"path":`)},
		{ID: "call_3", Name: "Glob", Arguments: []byte(`{}`)},
	}
	if !reflect.DeepEqual(m.ToolCalls, wantCalls) {
		t.Errorf("got calls %s", m.ToolCalls)
	}
	if r.Usage != (llm.Usage{Input: 120, Output: 30}) {
		t.Errorf("got usage %+v", r.Usage)
	}
	checkStream(t, streamed, "héhé", text)
}

// checkStream checks that thinking comes first and that every piece is small and valid.
func checkStream(t *testing.T, streamed []llm.Delta, thinking, text string) {
	t.Helper()
	var gotThinking, gotText strings.Builder
	for _, d := range streamed {
		if d.Thinking != "" && gotText.Len() > 0 {
			t.Error("thinking after text")
		}
		piece := d.Thinking + d.Text
		if piece == "" || utf8.RuneCountInString(piece) > 20 || !utf8.ValidString(piece) {
			t.Errorf("piece %q", piece)
		}
		gotThinking.WriteString(d.Thinking)
		gotText.WriteString(d.Text)
	}
	if gotThinking.String() != thinking || gotText.String() != text {
		t.Errorf("streamed %q and %q", gotThinking.String(), gotText.String())
	}
	if len(streamed) < 10 {
		t.Errorf("only %d pieces", len(streamed))
	}
}

func TestPastTheEnd(t *testing.T) {
	t.Parallel()
	call := []script.ToolCall{{Name: "Ls"}}
	tests := map[string]struct {
		turns []script.Turn
		want  string
	}{
		"last text":              {[]script.Turn{{Text: "a"}, {Text: "b", Thinking: "t", ToolCalls: call}}, "b"},
		"behind silent turns":    {[]script.Turn{{Text: "a"}, {ToolCalls: call}, {}}, "a"},
		"behind an error":        {[]script.Turn{{Text: "a"}, {Error: &script.Error{Message: "x"}}}, "a"},
		"no text in the script":  {[]script.Turn{{ToolCalls: call}}, ""},
		"the delay is not again": {[]script.Turn{{Text: "a", Delay: time.Nanosecond}}, "a"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := play(t, tt.turns...)
			for range tt.turns {
				_, _ = p.Chat(t.Context(), llm.Request{}, discard)
			}
			for range 3 {
				r, err := p.Chat(t.Context(), llm.Request{}, discard)
				if err != nil || r.Message.Content != tt.want || r.Message.ToolCalls != nil || r.Message.Thinking != "" {
					t.Errorf("got %+v, %v", r, err)
				}
			}
		})
	}
}

func TestScriptedError(t *testing.T) {
	t.Parallel()
	p := play(t, script.Turn{Text: "partly", Error: &script.Error{Type: "rate_limit", Message: "slow down"}}, script.Turn{Text: "b"})
	var text strings.Builder
	_, err := p.Chat(t.Context(), llm.Request{}, func(d llm.Delta) { text.WriteString(d.Text) })
	var failure *llm.Error
	if !errors.As(err, &failure) || *failure != (llm.Error{Type: "rate_limit", Message: "slow down"}) || text.String() != "partly" {
		t.Errorf("got %v after %q", err, text.String())
	}
	if r, err := p.Chat(t.Context(), llm.Request{}, discard); err != nil || r.Message.Content != "b" {
		t.Errorf("the next turn is %+v, %v", r, err)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("word ", 100)
	p := play(t, script.Turn{Text: "a", Delay: time.Hour}, script.Turn{Text: text}, script.Turn{Thinking: text}, script.Turn{Text: "b"})

	// The delay of the first turn is longer than any test. Only the deadline can end it.
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := p.Chat(ctx, llm.Request{}, discard); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("in the delay: %v", err)
		}
	})
	for _, where := range []string{"text", "thinking"} {
		pieces := 0
		ctx, cancel := context.WithCancel(t.Context())
		_, err := p.Chat(ctx, llm.Request{}, func(llm.Delta) { pieces++; cancel() })
		if !errors.Is(err, context.Canceled) || pieces != 1 {
			t.Errorf("in the %s: %v after %d pieces", where, err, pieces)
		}
	}
	ended, cancelEnded := context.WithCancel(t.Context())
	cancelEnded()
	if _, err := p.Chat(ended, llm.Request{}, discard); !errors.Is(err, context.Canceled) {
		t.Errorf("before the call: %v", err)
	}
	if r, err := p.Chat(t.Context(), llm.Request{}, discard); err != nil || r.Message.Content != "b" {
		t.Errorf("a call that never began took a turn: %+v, %v", r, err)
	}
}

func TestUsageEstimate(t *testing.T) {
	t.Parallel()
	p := play(t, script.Turn{Text: "12345678", ToolCalls: []script.ToolCall{{Name: "Ls"}}}, script.Turn{Text: "12345678"})
	req := llm.Request{
		Messages: []llm.Message{{Content: "1234567"}, {Thinking: "1", ToolCalls: []llm.ToolCall{{Name: "Ls", Arguments: []byte("{}")}}}},
		Tools:    []llm.ToolDefinition{{Name: "Ls", Description: "1234", Parameters: []byte("{}")}},
	}
	for _, want := range []llm.Usage{{Input: 5, Output: 3}, {Input: 5, Output: 2}} {
		r, err := p.Chat(t.Context(), req, discard)
		if err != nil || r.Usage != want {
			t.Errorf("got %+v, %v, want %+v", r.Usage, err, want)
		}
	}
}

func TestGeneratedIDs(t *testing.T) {
	t.Parallel()
	p := play(t,
		script.Turn{ToolCalls: []script.ToolCall{{Name: "a"}, {Name: "b", ID: "mine"}, {Name: "c"}}},
		script.Turn{ToolCalls: []script.ToolCall{{Name: "d"}, {Name: "e", ID: "call_2"}}},
	)
	var got []string
	for range 2 {
		r, err := p.Chat(t.Context(), llm.Request{}, discard)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range r.Message.ToolCalls {
			got = append(got, call.ID)
		}
	}
	if want := []string{"call_1", "mine", "call_3", "call_4", "call_2"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestModel(t *testing.T) {
	t.Parallel()
	s := script.Script{
		Model: script.Model{Name: "m", Family: "f", ParameterCount: 7, ContextLength: 9, Capabilities: []string{"tools"}},
		Turns: []script.Turn{{}},
	}
	for _, tt := range []struct{ name, asked, want string }{{"m", "", "m"}, {"m", "other", "other"}, {"", "", "scripted"}} {
		s.Model.Name = tt.name
		p, err := script.New(script.Options{Script: s})
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Model(t.Context(), tt.asked)
		want := llm.Model{Name: tt.want, Family: "f", ParameterCount: 7, ContextLength: 9, Capabilities: []string{"tools"}, Audio: files.AudioTypes()}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("asked for %q: got %+v, %v", tt.asked, got, err)
		}
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	demo, err := script.New(script.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := demo.Model(t.Context(), ""); err != nil || m.Name != script.Demo().Model.Name {
		t.Errorf("without options: %+v, %v", m, err)
	}
	path := file(t, "turns: [{text: from the file}]")
	fromFile, err := script.New(script.Options{File: path})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := fromFile.Chat(t.Context(), llm.Request{}, discard); err != nil || r.Message.Content != "from the file" {
		t.Errorf("from a file: %+v, %v", r, err)
	}
	for want, o := range map[string]script.Options{
		"both a file and a script":            {File: path, Script: script.Demo()},
		"no such file":                        {File: path + ".none"},
		"no turns":                            {Script: script.Script{Turns: []script.Turn{}}},
		`key "turns[0].error.type": unknown`:  {Script: script.Script{Turns: []script.Turn{{Error: &script.Error{Type: "x"}}}}},
		`key "turns[0].tool_calls[0].name": `: {Script: script.Script{Turns: []script.Turn{{ToolCalls: []script.ToolCall{{}}}}}},
	} {
		if _, err := script.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestResponsesAreCopies checks that changing a response does not change the script.
func TestResponsesAreCopies(t *testing.T) {
	t.Parallel()
	s := script.Script{Turns: []script.Turn{{ToolCalls: []script.ToolCall{{Name: "Ls", Arguments: script.Arguments(`{"a":1}`)}}}}}
	p := play(t, s.Turns...)
	r, err := p.Chat(t.Context(), llm.Request{}, discard)
	if err != nil {
		t.Fatal(err)
	}
	r.Message.ToolCalls[0].Arguments[0] = 'X'
	if got := string(s.Turns[0].ToolCalls[0].Arguments); got != `{"a":1}` {
		t.Errorf("the script holds %s", got)
	}
}

func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	const calls = 50
	var turns []script.Turn
	for i := range calls {
		turns = append(turns, script.Turn{Text: fmt.Sprint("turn ", i)})
	}
	p := play(t, turns...)
	var (
		group sync.WaitGroup
		mu    sync.Mutex
	)
	seen := map[string]bool{}
	for range calls {
		group.Go(func() {
			r, err := p.Chat(t.Context(), llm.Request{}, discard)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			seen[r.Message.Content] = true
		})
	}
	group.Wait()
	if len(seen) != calls {
		t.Errorf("%d different turns for %d calls", len(seen), calls)
	}
}

func TestContinue(t *testing.T) {
	t.Parallel()
	turns := []script.Turn{{Text: "a"}, {Text: "b"}, {Text: "c"}}
	answered := func(n int) llm.Request {
		var r llm.Request
		for range n {
			r.Messages = append(r.Messages, llm.Message{Role: llm.RoleUser}, llm.Message{Role: llm.RoleAssistant})
		}
		return r
	}
	for _, tt := range []struct {
		on    bool
		had   int
		first string
	}{{false, 2, "a"}, {true, 0, "a"}, {true, 2, "c"}, {true, 9, "c"}} {
		p, err := script.New(script.Options{Script: script.Script{Continue: tt.on, Turns: turns}})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := p.Chat(t.Context(), answered(tt.had), discard); err != nil || r.Message.Content != tt.first {
			t.Errorf("%+v: got %q, %v", tt, r.Message.Content, err)
		}
	}
}
