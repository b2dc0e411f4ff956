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
func (p *prompt) complete() {
	before := p.editor.Before()
	closed := p.menu.closed
	p.menu = menu{}
	if closed != "" && strings.HasPrefix(before, closed) {
		p.menu.closed = closed
		return
	}
	if word, ok := strings.CutPrefix(before, "/"); ok && !strings.ContainsAny(word, " \n") {
		p.menu.items = p.commandMenu(word)
		return
	}
	at := strings.LastIndexAny(before, " \n\t") + 1
	query, ok := strings.CutPrefix(before[at:], "@")
	if !ok || p.files == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), frameTime)
	defer cancel()
	found, err := p.files.Find(ctx, query, menuRows)
	if err != nil {
		return // the walk is still going on: the next key asks again
	}
	p.menu.from = at
	for _, m := range found {
		text := "@" + m.Path
		if m.Dir {
			text += "/"
		}
		p.menu.items = append(p.menu.items, completion{text: text})
	}
}

// commandMenu returns the commands that match a word.
func (p *prompt) commandMenu(word string) []completion {
	all := p.commands()
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
func (p *prompt) accept() bool {
	m := p.menu
	if len(m.items) == 0 {
		return false
	}
	text := m.items[m.at].text
	if !strings.HasSuffix(text, "/") || strings.HasPrefix(text, "/") {
		text += " "
	}
	p.editor.Replace(m.from, text)
	p.changed()
	return true
}

// ghost returns the labels of the arguments of the command in the input, if none is typed yet.
func (p *prompt) ghost() string {
	value := p.editor.Value()
	name, args, ok := command.Parse(value)
	if !ok || strings.TrimSpace(args) != "" || !strings.HasSuffix(value, " ") {
		return ""
	}
	for _, c := range p.commands() {
		if c.Name == name {
			return plaintext.Line(strings.Join(c.Hints, " "))
		}
	}
	return ""
}

// exact reports whether the word before the cursor is one of the completions already.
func (p *prompt) exact() bool {
	word := p.editor.Before()[p.menu.from:]
	for _, item := range p.menu.items {
		if strings.TrimSpace(item.text) == word && strings.HasPrefix(word, "/") {
			return true
		}
	}
	return false
}

// closeMenu closes the menu until the text before the cursor changes. It reports whether there was one.
func (p *prompt) closeMenu() bool {
	if len(p.menu.items) == 0 {
		return false
	}
	p.menu = menu{closed: p.editor.Before()}
	return true
}
