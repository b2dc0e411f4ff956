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
func (u *UI) beginSearch() {
	if u.input.history == nil {
		u.hint = "no history is kept"
		return
	}
	u.input.search = &search{before: u.input.editor.Value()}
}

// searching handles a key during a search. It returns false if the key ends the search and does something else too.
func (u *UI) searching(key tea.KeyPressMsg, action keymap.Action) bool {
	s := u.input.search
	switch action {
	case keymap.Search:
		s.skip++
	case keymap.Interrupt, keymap.Cancel:
		u.input.search = nil
		u.input.editor.Set(s.before)
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
		u.input.search = nil
		return action == keymap.Send // the found text can be changed before it is sent
	}
	text, ok := u.input.history.Search(s.query, s.skip)
	if !ok && s.skip > 0 {
		s.skip--
		u.hint = "no earlier prompt matches"
		return true
	}
	s.found, s.ok = text, ok
	if ok && s.query != "" {
		u.input.editor.Set(text)
	}
	return true
}
