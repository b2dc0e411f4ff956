package tui

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/keymap"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// stage is a screen without a terminal and without a clock. Timers run when a test says so.
type stage struct {
	frame  *frame
	dialog *dialog
	out    bytes.Buffer
	timers []timer
	// covering and busy are what the content reports. composed counts the pictures.
	covering, busy bool
	composed       int
	said           []string
}

type timer struct {
	wait time.Duration
	run  func()
}

func (s *stage) covered() bool { return s.covering }
func (s *stage) waiting() bool { return s.busy }

func (s *stage) compose() picture {
	s.composed++
	return picture{rows: []terminal.Styled{"row"}}
}

func newStage(columns, rows int) *stage {
	s := &stage{}
	after := func(d time.Duration, f func()) { s.timers = append(s.timers, timer{d, f}) }
	s.frame = newFrame(&s.out, nil, "", s)
	s.frame.after = after
	s.frame.terminalSize = func() (int, int, error) { return columns, rows, nil }
	s.frame.measure()
	s.dialog = &dialog{keys: keymap.New(nil), frame: s.frame, after: after, say: func(_ terminal.Style, text string) { s.said = append(s.said, text) }}
	return s
}

// pass runs the timers of a length that were started before.
func (s *stage) pass(wait time.Duration) {
	timers := s.timers
	s.timers = nil
	for _, t := range timers {
		if t.wait == wait {
			t.run()
		} else {
			s.timers = append(s.timers, t)
		}
	}
}

// see draws a frame, which the terminal confirms.
func (s *stage) see() {
	s.frame.drawn = time.Time{}
	s.frame.draw()
	s.answer()
}

// answer is the answer of the terminal to a probe.
func (s *stage) answer() { s.frame.confirm(80, s.dialog.confirmed) }

// arm shows the question until keys answer it.
func (s *stage) arm() {
	s.see()
	s.pass(silence)
	s.answer()
}

// keys presses keys: single letters, or names in angle brackets. It returns those that belong to the input.
func (s *stage) keys(names ...string) (input string) {
	for _, name := range names {
		key := tea.KeyPressMsg{Text: name, Code: []rune(name)[0]}
		switch name {
		case "<enter>":
			key = tea.KeyPressMsg{Code: tea.KeyEnter}
		case "<esc>":
			key = tea.KeyPressMsg{Code: tea.KeyEscape}
		case "<ctrl+c>":
			key = tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
		}
		if !s.dialog.press(key) {
			input += name
		}
	}
	return input
}

// TestQuestion presses keys while a question is open, and compares the answer and which keys belong to the input.
func TestQuestion(t *testing.T) {
	t.Parallel()
	choices := func() []choice {
		return []choice{{key: "y", text: "once"}, {key: "s", text: "this session", field: "Pattern", initial: "ls", check: func(text string) error {
			if text == "bad" {
				return errors.New("a bad pattern")
			}
			return nil
		}}, {key: "n", text: "no"}}
	}
	type result struct {
		input string
		reply reply
		open  bool
		row   string
	}
	for name, row := range map[string]struct {
		do   func(s *stage) string
		want result
	}{
		"not before it was seen": {func(s *stage) string { return s.keys("y") }, result{input: "y", open: true, row: "stop typing"}},
		"not before a silence":   {func(s *stage) string { s.see(); return s.keys("y") }, result{input: "y", open: true, row: "stop typing"}},
		"not before the terminal has answered": {func(s *stage) string {
			s.see()
			s.pass(silence)
			return s.keys("y")
		}, result{input: "y", open: true, row: "stop typing"}},
		"not after a key during the silence": {func(s *stage) string {
			s.see()
			input := s.keys("x")
			s.timers = s.timers[:len(s.timers)-1] // the silence after the key is not over
			s.pass(silence)
			s.answer()
			return input + s.keys("y")
		}, result{input: "xy", open: true, row: "stop typing"}},
		"not after a paste on its way": {func(s *stage) string {
			s.see()
			s.pass(silence)
			s.dialog.paste("text")
			s.answer()
			return s.keys("y")
		}, result{input: "y", open: true, row: "stop typing"}},
		"a choice": {func(s *stage) string { s.arm(); return s.keys("y") }, result{reply: reply{key: "y"}}},
		"a terminal that does not answer": {func(s *stage) string {
			s.pass(deaf)
			s.pass(silence)
			s.pass(deaf)
			return s.keys("y")
		}, result{reply: reply{key: "y"}}},
		"no choice":           {func(s *stage) string { s.arm(); return s.keys("q") }, result{open: true, row: "[y] once"}},
		"escape means no":     {func(s *stage) string { s.arm(); return s.keys("<esc>") }, result{reply: reply{key: "n"}}},
		"Ctrl-C is for aura":  {func(s *stage) string { s.arm(); return s.keys("<ctrl+c>") }, result{input: "<ctrl+c>", open: true, row: "[y] once"}},
		"a text as suggested": {func(s *stage) string { s.arm(); return s.keys("s", "<enter>") }, result{reply: reply{key: "s", text: "ls"}}},
		"a changed text":      {func(s *stage) string { s.arm(); return s.keys("s", "x", "<enter>") }, result{reply: reply{key: "s", text: "lsx"}}},
		"a pasted text": {func(s *stage) string {
			s.arm()
			input := s.keys("s")
			s.dialog.paste("\nx")
			return input + s.keys("<enter>")
		}, result{reply: reply{key: "s", text: "ls x"}}},
		"a refused text": {func(s *stage) string {
			s.arm()
			input := s.keys("s")
			s.dialog.question.editor.Set("bad")
			return input + s.keys("<enter>")
		}, result{open: true, row: "a bad pattern"}},
		"back from the text": {func(s *stage) string { s.arm(); return s.keys("s", "<esc>") }, result{open: true, row: "[y] once"}},
		"not below a covering view": {func(s *stage) string {
			s.arm()
			s.dialog.open(newPager("", nil, terminal.Look{}))
			return s.keys("y")
		}, result{open: true, row: "[y] once"}},
		"not right after a covering view": {func(s *stage) string {
			s.arm()
			s.dialog.open(newPager("", nil, terminal.Look{}))
			return s.keys("q", "y")
		}, result{input: "y", open: true, row: "stop typing"}},
	} {
		s := newStage(80, 24)
		q := newQuestion("Run it?", choices())
		s.dialog.ask(q)
		got := result{input: row.do(s), open: s.dialog.asking()}
		select {
		case got.reply = <-q.done:
		default:
		}
		shown := ""
		for _, text := range s.dialog.rows() {
			shown += string(text)
		}
		if !strings.Contains(shown, row.want.row) {
			t.Errorf("%s: the choices are %q", name, shown)
		}
		got.row = row.want.row
		if got != row.want {
			t.Errorf("%s: got %+v, want %+v", name, got, row.want)
		}
		if answered := len(s.said) > 0; answered == got.open {
			t.Errorf("%s: printed %q", name, s.said)
		}
	}
}

// TestPicker presses keys in a picker, and compares what is chosen.
func TestPicker(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		keys   []string
		closes bool
		want   string
	}{
		"the present one":        {[]string{"<enter>"}, true, "/model beta"},
		"the first that matches": {[]string{"g", "a", "m", "<enter>"}, true, "/model gamma"},
		"none matches":           {[]string{"z", "z", "<enter>"}, false, "open"},
		"escape chooses nothing": {[]string{"<esc>"}, true, ""},
	} {
		s, got := newStage(80, 24), "open"
		s.dialog.open(newPicker("model", []frontend.Choice{{Value: "alpha"}, {Value: "beta", Current: true}, {Value: "gamma"}}, func(line string) { got = line }))
		if input := s.keys(row.keys...); input != "" || got != row.want || s.dialog.covers() == row.closes {
			t.Errorf("%s: chose %q, open %v, input %q", name, got, s.dialog.covers(), input)
		}
	}
}
