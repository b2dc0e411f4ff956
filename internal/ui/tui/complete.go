package tui

import (
	"context"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/app/frontend"
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
	// loose is set if Enter sends the line although there are completions.
	loose bool
	// closed is the text for which the user closed the menu.
	closed string
}

type completion struct {
	text, about string
	// partial is set if more follows the text.
	partial bool
}

// maxWait is how long a completion of the session may take, and pause how long no key is pressed before it is asked for.
const (
	maxWait = 5 * time.Second
	pause   = 100 * time.Millisecond
)

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
	if p.ask != nil && (ok || strings.HasPrefix(before, "/")) {
		p.ask(before)
	}
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

// offer adds completions of the session for a text, unless the text has changed. What the screen itself found comes first.
func (p *prompt) offer(before string, list []frontend.Choice) (changed bool) {
	if p.editor.Before() != before || p.menu.closed != "" || len(list) == 0 {
		return false
	}
	p.menu.from = strings.LastIndexAny(before, " \n\t") + 1
	p.menu.loose = strings.HasPrefix(before, "/")
	for _, c := range list {
		about := c.Detail
		if c.Title != "" {
			about = strings.TrimSuffix(c.Title+": "+c.Detail, ": ")
		}
		p.menu.items = append(p.menu.items, completion{text: c.Value, about: about, partial: c.Partial})
	}
	return true
}

// askSession asks the session for completions of a text, once no key was pressed for a moment.
func (u *UI) askSession(before string) {
	s := u.session
	if s == nil {
		return
	}
	u.after(pause, func() {
		if u.prompt.editor.Before() != before || u.quitting {
			return
		}
		u.status.readers.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), maxWait)
			defer cancel()
			go func() {
				select {
				case <-u.inbox.ended:
					cancel()
				case <-ctx.Done():
				}
			}()
			// A server that fails proposes nothing; the call that uses the value reports it.
			list, _ := s.Complete(ctx, before)
			u.do(func() {
				if u.prompt.offer(before, list) {
					u.frame.expectChange()
				}
			})
		})
	})
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
		switch all[i].Source {
		case command.SourcePlugin:
			about += " (plugin " + all[i].Origin + ")"
		case command.SourceMCP:
			about += " (MCP server " + all[i].Origin + ")"
		default: // what the others come from is not shown
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
	if (!strings.HasSuffix(text, "/") || strings.HasPrefix(text, "/")) && !m.items[m.at].partial {
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
