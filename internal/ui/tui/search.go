package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/idelchi/aura/internal/base/keymap"
)

// search is a search in the history.
type search struct {
	query string
	skip  int
	found string
	ok    bool
	// before is what the input held.
	before string
}

// beginSearch searches the history.
func (p *prompt) beginSearch() {
	if p.history == nil {
		p.hint = "no history is kept"
		return
	}
	p.search = &search{before: p.editor.Value()}
}

// searching handles a key during a search. It returns false if no search is open, or if the key ends it and does something else too.
func (p *prompt) searching(key tea.KeyPressMsg, action keymap.Action) bool {
	s := p.search
	if s == nil {
		return false
	}
	switch action {
	case keymap.Search:
		s.skip++
	case keymap.Interrupt, keymap.Cancel:
		p.search = nil
		p.editor.Set(s.before)
		return true
	case keymap.Backspace:
		runes := []rune(s.query)
		s.query, s.skip = string(runes[:max(0, len(runes)-1)]), 0
	case "":
		if key.Text == "" {
			return true
		}
		s.query, s.skip = s.query+key.Text, 0
	default:
		p.search = nil
		return action == keymap.Send // the found text can be changed before it is sent
	}
	text, ok := p.history.Search(s.query, s.skip)
	if !ok && s.skip > 0 {
		s.skip--
		p.hint = "no earlier prompt matches"
		return true
	}
	s.found, s.ok = text, ok
	if ok && s.query != "" {
		p.editor.Set(text)
	}
	return true
}
