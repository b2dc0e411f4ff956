package tui

import (
	"bytes"
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/app/frontend"
)

// TestScreenLines checks that the screen hands each kind of line to the session as it was typed, and waits for the model only if the line
// is not for the user's shell.
func TestScreenLines(t *testing.T) {
	t.Parallel()
	for line, row := range map[string]struct {
		waits bool
		// echo is what the screen prints itself. The session reports prompts by an event.
		echo string
	}{
		"hello":               {true, ""},
		"/name it":            {true, "/name it"},
		"/agent other":        {true, "/agent other"},
		"/etc/hosts is empty": {true, ""},
		"!ls":                 {false, ""},
		"!":                   {true, ""},
	} {
		s := newStage(80, 24)
		u := &UI{
			frame: s.frame, show: newShow(s.frame.colours(), false), prompt: newPrompt(nil, nil, nil), session: choosing{},
			worker: &worker{lines: make(chan frontend.Line, 1)},
		}
		u.show.stopWaiting() // the session is open
		u.queue.add(line)
		u.next()
		s.frame.draw()
		if got := <-u.worker.lines; got.Text != line || !u.queue.busy || u.show.waiting() != row.waits {
			t.Errorf("%s: got %+v, busy %v, waits %v", line, got, u.queue.busy, u.show.waiting())
		}
		if printed := strings.Contains(s.out.String(), line); printed != (row.echo != "") {
			t.Errorf("%s: printed %q", line, s.out.String())
		}
	}
}

// recorded is a session that records lines.
type recorded struct {
	frontend.Session
	lines []string
}

func (r *recorded) History() []llm.Message           { return nil }
func (r *recorded) Commands() []frontend.CommandInfo { return nil }

func (r *recorded) RunLine(_ context.Context, line frontend.Line) (exit bool, err error) {
	r.lines = append(r.lines, line.Text)
	return line.Text == "/exit", nil
}

// TestPlainLines checks that the linear screen hands each kind of line to the session as it was typed. It drops blank lines.
func TestPlainLines(t *testing.T) {
	t.Parallel()
	in, typed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := typed.WriteString("\n \t\nhello\r\n /name it\n//x\n!echo hi\n!\n@a.txt\n/exit\nnever\n"); err != nil {
		t.Fatal(err)
	}
	defer typed.Close()
	s := &recorded{}
	var out bytes.Buffer
	p := NewPlain(Options{
		In: in, Prompts: []string{"first"},
		Open:  func(context.Context, frontend.FrontEnd) (frontend.Session, error) { return s, nil },
		Close: func(context.Context, frontend.Session, error) error { return nil },
	}, &out)
	if err := p.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if want := []string{"first", "hello", " /name it", "//x", "!echo hi", "!", "@a.txt", "/exit"}; !slices.Equal(s.lines, want) {
		t.Errorf("got %q", s.lines)
	}
}

// beginning is a session that has been given a line and has not begun with it, so Cancel has nothing to end.
type beginning struct {
	recorded
	given chan struct{}
}

func (b *beginning) Cancel(error) {}

func (b *beginning) RunLine(ctx context.Context, _ frontend.Line) (exit bool, err error) {
	close(b.given)
	<-ctx.Done()
	return false, context.Cause(ctx)
}

// TestPlainQuitsBeginning quits while the session begins with a line.
func TestPlainQuitsBeginning(t *testing.T) {
	t.Parallel()
	in, typed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer typed.Close()
	s := &beginning{given: make(chan struct{})}
	p := NewPlain(Options{
		In: in, Prompts: []string{"first"},
		Open:  func(context.Context, frontend.FrontEnd) (frontend.Session, error) { return s, nil },
		Close: func(context.Context, frontend.Session, error) error { return nil },
	}, io.Discard)
	interrupts := make(chan struct{})
	go func() {
		<-s.given
		interrupts <- struct{}{}
		interrupts <- struct{}{}
	}()
	if err := p.Run(t.Context(), interrupts); err != nil {
		t.Error(err)
	}
}

// switching is a session that /resume and a prompt switch to another id.
type switching struct {
	frontend.Session
	id string
}

func (s *switching) Commands() []frontend.CommandInfo {
	return []frontend.CommandInfo{{Name: "resume"}}
}
func (s *switching) Status() frontend.Status { return frontend.Status{SessionID: s.id} }
func (s *switching) History() []llm.Message  { return []llm.Message{{Content: s.id}} }

func (s *switching) RunLine(_ context.Context, line frontend.Line) (exit bool, err error) {
	_, s.id, _ = strings.Cut(line.Text, " ")
	return false, nil
}

// TestResumed checks after which lines the conversation is shown that the session continues.
func TestResumed(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"/resume two": "two", "/aura:resume two": "two", "/resume one": "", "/fork two": "", "resume two": "",
	} {
		got := ""
		for _, m := range runLine(t.Context(), &switching{id: "one"}, frontend.Line{Text: line}).resumed {
			got += m.Content
		}
		if got != want {
			t.Errorf("%s: shows the conversation of %q, want %q", line, got, want)
		}
	}
}
