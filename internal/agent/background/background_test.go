package background_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/background"
	"github.com/idelchi/aura/internal/agent/tool"
)

// bash plays Bash: it prints what step receives until the channel is closed, and fails with failure.
type bash struct {
	step    chan string
	printed chan struct{}
	result  string
	failure error
}

func newBash() *bash { return &bash{step: make(chan string), printed: make(chan struct{})} }

func (*bash) Definition() tool.Definition { return tool.Definition{Name: "Bash"} }

func (b *bash) Execute(ctx context.Context, call tool.Call) (string, error) {
	if call.Progress == nil {
		return fmt.Sprint("not in the background ", call.Args["background"]), nil
	}
	for {
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case text, more := <-b.step:
			if !more {
				return b.result, b.failure
			}
			call.Progress(text)
			b.printed <- struct{}{}
		}
	}
}

func (b *bash) print(text string) {
	b.step <- text
	<-b.printed
}

func begin(t *testing.T, s *background.Set, b *bash) string {
	t.Helper()
	got, err := s.Tool(b).Execute(t.Context(), tool.Call{Args: map[string]any{"command": "make  all", "background": true}})
	if err != nil {
		t.Fatal(err)
	}
	id, _, _ := strings.Cut(got, " ")
	return id
}

func use(s *background.Set, name string, args map[string]any) (string, error) {
	for _, t := range s.Tools() {
		if t.Definition().Name == name {
			return t.Execute(context.Background(), tool.Call{Args: args})
		}
	}
	return "", errors.New("no such tool")
}

// wants checks the result of a tool, without the line that has the time.
func wants(t *testing.T, s *background.Set, args map[string]any, want string) {
	t.Helper()
	got, err := use(s, background.OutputName, args)
	head, rest, _ := strings.Cut(got, "\n")
	if err != nil || rest != want || !strings.HasPrefix(head, "b") {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestOutput(t *testing.T) {
	t.Parallel()
	var s background.Set
	told := make(chan string, 2)
	s.Ended = func(text string) { told <- text }
	b := newBash()
	b.result, b.failure = "one\ntwo\nwarn: three\none\ntwo\n[sandbox] refused\n", errors.New("exit status 3\nmore")
	id := begin(t, &s, b)
	if s.Running() != 1 || !s.Used() || len(s.Notes()) != 0 {
		t.Errorf("%d run, used %t", s.Running(), s.Used())
	}
	wants(t, &s, map[string]any{"id": id}, "[no new output]")
	b.print("one\n")
	wants(t, &s, map[string]any{"id": id}, "one")
	wants(t, &s, map[string]any{"id": id}, "[no new output]")
	b.print("two\nwarn: three\n")
	wants(t, &s, map[string]any{"id": id, "filter": "^warn"}, "warn: three")
	wants(t, &s, map[string]any{"id": id, "filter": "one"}, "[no new output that matches]")
	b.print("one\ntwo\n")
	if saved := s.Save(); saved.Started != 1 || len(saved.Open) != 1 || saved.Open[0] != "b1 (make all)" {
		t.Errorf("saved %+v", saved)
	}
	close(b.step)
	text := <-told
	notes := s.Notes()
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "background command b1 (make all) ended after ") || !strings.Contains(notes[0], ": exit status 3; ") {
		t.Errorf("noted %q", notes)
	}
	if len(s.Notes()) != 0 || !strings.HasPrefix(notes[0], text) {
		t.Errorf("noted twice, or reported as %q", text)
	}
	wants(t, &s, map[string]any{"id": id}, "one\ntwo\n\n[sandbox] refused")
	if saved := s.Save(); len(saved.Open) != 0 {
		t.Errorf("saved %+v", saved)
	}
	for args, want := range map[string]string{"b9": "known: b1", "": "known: b1"} {
		if _, err := use(&s, background.OutputName, map[string]any{"id": args}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", args, err)
		}
	}
	if _, err := use(&s, background.OutputName, map[string]any{"id": id, "filter": "("}); err == nil {
		t.Error("a wrong filter was accepted")
	}
	if _, err := use(&s, background.KillName, map[string]any{"id": id}); err == nil || !strings.Contains(err.Error(), "ended already") {
		t.Errorf("killed again: %v", err)
	}
}

func TestKill(t *testing.T) {
	t.Parallel()
	var s background.Set
	s.Ended = func(text string) { t.Errorf("it was reported as %q", text) }
	id := begin(t, &s, newBash())
	got, err := use(&s, background.KillName, map[string]any{"id": id})
	if err != nil || got != "b1 was killed, with everything that it started" || s.Running() != 0 || len(s.Notes()) != 0 {
		t.Errorf("got %q, %v", got, err)
	}
	if list := s.List(); len(list) != 1 || list[0].Running || list[0].Result != "killed" {
		t.Errorf("listed %+v", list)
	}
}

// TestMuch prints 1 GB: what is kept has a bound, and the rest is counted.
func TestMuch(t *testing.T) {
	t.Parallel()
	var s background.Set
	b := newBash()
	b.result = "[... 5 bytes left out; the full output is in /state/output/aura-bash-1.txt ...]\n"
	id := begin(t, &s, b)
	b.print("begin\n")
	piece := strings.Repeat(strings.Repeat("x", 63)+"\n", 1<<10)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const total = 1 << 30
	for range total / len(piece) {
		b.print(piece)
	}
	b.print("end\n")
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapInuse) - int64(before.HeapInuse); grown > 16<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	ended := make(chan string)
	s.Ended = func(text string) { ended <- text }
	close(b.step)
	<-ended
	got, err := use(&s, background.OutputName, map[string]any{"id": id})
	lines := strings.SplitN(got, "\n", 4)
	if err != nil || len(got) > 70<<10 || len(lines) < 4 || lines[2] != "begin" || !strings.HasSuffix(got, "\nend") {
		t.Fatalf("got %d bytes, %q, %v", len(got), lines[:min(len(lines), 3)], err)
	}
	if !strings.Contains(lines[1], "the full output is in /state/output/aura-bash-1.txt") {
		t.Errorf("the file is not named in %q", lines[1])
	}
	var left int
	_, rest, _ := strings.Cut(got, "[... ")
	_, rest, _ = strings.Cut(rest, "[... ")
	if _, err := fmt.Sscanf(rest, "%d bytes left out", &left); err != nil || left < total-64<<10-1024 || left > total {
		t.Errorf("%d bytes are said to be left out: %v", left, err)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	var s background.Set
	for range background.MaxRunning {
		begin(t, &s, newBash())
	}
	if _, err := s.Begin("one more", nil); err == nil || !strings.Contains(err.Error(), "which is the limit") {
		t.Errorf("one more: %v", err)
	}
	if n := s.Close(); n != background.MaxRunning || s.Running() != 0 || len(s.Notes()) != 0 {
		t.Errorf("%d ended", n)
	}
	if _, err := s.Begin("late", nil); err == nil {
		t.Error("a command was started after the end of the session")
	}
}

func TestForgets(t *testing.T) {
	t.Parallel()
	var s background.Set
	stays := begin(t, &s, newBash())
	for range 3 * background.MaxRunning {
		b := newBash()
		id := begin(t, &s, b)
		close(b.step)
		for s.Running() > 1 {
			runtime.Gosched()
		}
		if _, err := use(&s, background.OutputName, map[string]any{"id": id}); err != nil {
			t.Fatal(err)
		}
	}
	if list := s.List(); len(list) != background.MaxRunning+1 || list[0].ID != stays {
		t.Errorf("%d are remembered, the first is %s", len(list), list[0].ID)
	}
	if n := len(s.Notes()); n > 2*background.MaxRunning {
		t.Errorf("%d notes", n)
	}
	s.Close()
}

func TestRestore(t *testing.T) {
	t.Parallel()
	var s background.Set
	begin(t, &s, newBash())
	note := s.Restore(background.Saved{Started: 7, Open: []string{"b7 (serve)"}})
	if !strings.HasSuffix(note, "b7 (serve)") || s.Running() != 0 || len(s.List()) != 0 {
		t.Errorf("got %q", note)
	}
	if notes := s.Notes(); len(notes) != 1 || notes[0] != note {
		t.Errorf("noted %q", notes)
	}
	if id := begin(t, &s, newBash()); id != "b8" {
		t.Errorf("the next id is %s", id)
	}
	s.Close()
	if note := new(background.Set).Restore(background.Saved{}); note != "" {
		t.Errorf("got %q", note)
	}
}

// TestNone uses Bash and the tools where no session goes on.
func TestNone(t *testing.T) {
	t.Parallel()
	var s *background.Set
	bash := s.Tool(newBash())
	if _, err := bash.Execute(t.Context(), tool.Call{Args: map[string]any{"background": true}}); err == nil || !strings.Contains(err.Error(), "main conversation") {
		t.Errorf("got %v", err)
	}
	if got, err := bash.Execute(t.Context(), tool.Call{Args: map[string]any{"background": false}}); err != nil || got != "not in the background false" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := use(s, background.KillName, map[string]any{"id": "b1"}); err == nil {
		t.Error("a command was killed that does not exist")
	}
	if s.Running() != 0 || s.Used() || s.List() != nil || s.Notes() != nil || s.Save().Started != 0 {
		t.Error("a nil set has commands")
	}
}

// panics is a tool with a defect.
type panics struct{ *bash }

func (panics) Execute(context.Context, tool.Call) (string, error) { panic("defect") }

func TestPanic(t *testing.T) {
	t.Parallel()
	var s background.Set
	if _, err := s.Tool(panics{}).Execute(t.Context(), tool.Call{Args: map[string]any{"background": true}}); err != nil {
		t.Fatal(err)
	}
	s.End()
	if list := s.List(); len(list) != 1 || !strings.Contains(list[0].Result, "panic: defect") {
		t.Errorf("listed %+v", list)
	}
}
