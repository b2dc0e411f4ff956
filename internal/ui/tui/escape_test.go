package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/idelchi/aura/internal/app/frontend"
)

// TestEscapeTwice checks when Esc opens the list of prompts to return to.
func TestEscapeTwice(t *testing.T) {
	t.Parallel()
	escape := func(u *UI) { u.escape() }
	for name, row := range map[string]struct {
		do   []func(u *UI)
		want string
	}{
		"once":                {[]func(*UI){escape}, ""},
		"twice":               {[]func(*UI){escape, escape}, "/rewind"},
		"another key between": {[]func(*UI){escape, func(u *UI) { u.pressed(tea.KeyPressMsg{Text: "a"}) }, func(u *UI) { u.prompt.replace("") }, escape}, ""},
		"late":                {[]func(*UI){escape, func(u *UI) { u.rewindAt = time.Now().Add(-time.Second) }, escape}, ""},
		"with text":           {[]func(*UI){func(u *UI) { u.prompt.insert("draft") }, escape, escape}, ""},
		"the queue waits":     {[]func(*UI){func(u *UI) { u.queue.add("later"); u.queue.hold() }, escape, escape}, "/rewind"},
		"no session yet":      {[]func(*UI){func(u *UI) { u.session = nil }, escape, escape}, ""},
	} {
		s := newStage(80, 24)
		u := &UI{
			frame: s.frame, show: newShow(s.frame.colours(), false), prompt: newPrompt(nil, nil, nil), dialog: &dialog{},
			session: choosing{commands: []string{"rewind"}}, worker: &worker{lines: make(chan frontend.Line, 1), quit: true},
		}
		for _, step := range row.do {
			step(u)
		}
		got := ""
		if len(u.queue.lines) > 0 && u.queue.lines[0] != "later" {
			got = u.queue.lines[0]
		}
		if got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}
