package tui

import (
	"context"
	"strings"

	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/filefind"
)

// menuRows is how many completions are shown at once.
const menuRows = 8

// menu holds the completions of the word before the cursor.
type menu struct {
	// from is where the word begins, in bytes of the editor's value.
	from  int
	items []completion
	at    int
	// closed is the text for which the user closed the menu.
	closed string
}

type completion struct{ text, about string }

// complete updates the menu.
func (u *UI) complete() {
	in := &u.input
	before := in.editor.Before()
	closed := in.menu.closed
	in.menu = menu{}
	if closed != "" && strings.HasPrefix(before, closed) {
		in.menu.closed = closed
		return
	}
	if word, ok := strings.CutPrefix(before, "/"); ok && !strings.ContainsAny(word, " \n") {
		in.menu.items = u.commandMenu(word)
		return
	}
	at := strings.LastIndexAny(before, " \n\t") + 1
	query, ok := strings.CutPrefix(before[at:], "@")
	if !ok || in.files == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), frameTime)
	defer cancel()
	found, err := in.files.Find(ctx, query, menuRows)
	if err != nil {
		return // the walk is still going on: the next key asks again
	}
	in.menu.from = at
	for _, m := range found {
		text := "@" + m.Path
		if m.Dir {
			text += "/"
		}
		in.menu.items = append(in.menu.items, completion{text: text})
	}
}

// commandMenu returns the commands that match a word.
func (u *UI) commandMenu(word string) []completion {
	if u.session == nil {
		return nil
	}
	all := u.session.Commands()
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Name
	}
	var out []completion
	for _, i := range filefind.Rank(word, names, menuRows) {
		about := all[i].Description
		if all[i].Source == command.SourcePlugin {
			about += " (plugin " + all[i].Origin + ")"
		}
		out = append(out, completion{text: "/" + names[i], about: about})
	}
	return out
}

// accept replaces the word before the cursor by the chosen completion. It reports whether there was one.
func (u *UI) accept() bool {
	m := u.input.menu
	if len(m.items) == 0 {
		return false
	}
	text := m.items[m.at].text
	if !strings.HasSuffix(text, "/") || strings.HasPrefix(text, "/") {
		text += " "
	}
	u.input.editor.Replace(m.from, text)
	u.typed()
	return true
}

// ghost returns the labels of the arguments of the command in the input, if none is typed yet.
func (u *UI) ghost() string {
	value := u.input.editor.Value()
	name, args, ok := command.Parse(value)
	if !ok || strings.TrimSpace(args) != "" || !strings.HasSuffix(value, " ") || u.session == nil {
		return ""
	}
	for _, c := range u.session.Commands() {
		if c.Name == name {
			return plaintext.Line(strings.Join(c.Hints, " "))
		}
	}
	return ""
}
