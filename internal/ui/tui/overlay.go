package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/filefind"
	"github.com/idelchi/aura/internal/ui/lineedit"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// overlay is a view that takes the whole screen for a while, on the alternate screen of the terminal. What is finished meanwhile is
// printed when the overlay closes.
type overlay interface {
	// press handles a key on a screen with a number of rows, and reports whether the overlay closes.
	press(key tea.KeyPressMsg, rows int) (closes bool)
	// picture returns what the screen shows.
	picture(c canvas) picture
}

// canvas is the screen that an overlay covers.
type canvas struct {
	look          *terminal.Look
	columns, rows int
	// asking is set if a question waits below the overlay.
	asking bool
}

// pager shows a long text.
type pager struct {
	title string
	lines []terminal.Styled
	plain []string
	top   int
	// query is what was searched for last. typing is set while a query is typed.
	query  string
	typing *lineedit.Editor
	note   string
}

func newPager(title string, lines []string, look terminal.Look) *pager {
	p := &pager{title: title, plain: lines}
	for _, line := range lines {
		style := terminal.Plain
		if strings.HasPrefix(line, "── ") {
			style = terminal.Strong
		}
		p.lines = append(p.lines, look.Paint(style, line))
	}
	return p
}

func (p *pager) press(key tea.KeyPressMsg, rows int) bool {
	page := max(rows-3, 1)
	if p.typing != nil {
		p.typeQuery(key, rows)
		return false
	}
	p.note = ""
	switch key.String() {
	case "q", "esc", "ctrl+c", "ctrl+o":
		return true
	case "up", "k":
		p.top--
	case "down", "j", "enter":
		p.top++
	case "pgup", "b", "ctrl+b":
		p.top -= page
	case "pgdown", "space", " ", "ctrl+f":
		p.top += page
	case "home", "g":
		p.top = 0
	case "end", "G", "shift+g":
		p.top = len(p.lines)
	case "/":
		p.typing = &lineedit.Editor{}
	case "n":
		p.find(p.top+1, 1)
	case "N", "shift+n":
		p.find(p.top-1, -1)
	}
	p.clamp(rows)
	return false
}

func (p *pager) clamp(rows int) { p.top = max(0, min(p.top, len(p.lines)-max(rows-2, 1))) }

func (p *pager) typeQuery(key tea.KeyPressMsg, rows int) {
	switch key.String() {
	case "enter":
		p.query, p.typing = p.typing.Text(), nil
		p.find(p.top, 1)
		p.clamp(rows)
	case "esc", "ctrl+c":
		p.typing = nil
	case "backspace":
		p.typing.Backspace()
	default:
		p.typing.Insert(key.Text)
	}
}

// find goes to the next line with the query, from a line on, in a direction. After the last line comes the first.
func (p *pager) find(from, step int) {
	query, lines := strings.ToLower(p.query), len(p.plain)
	for i := range lines {
		at := ((from+i*step)%lines + lines) % lines
		if query != "" && strings.Contains(strings.ToLower(p.plain[at]), query) {
			p.top = at
			return
		}
	}
	p.note = fmt.Sprintf("%q not found", p.query)
}

func (p *pager) picture(c canvas) picture {
	height := max(c.rows-2, 1)
	p.clamp(c.rows)
	out := []terminal.Styled{terminal.CutRow(c.look.Paint(terminal.Strong, p.title), c.columns)}
	for _, line := range p.lines[p.top:min(len(p.lines), p.top+height)] {
		out = append(out, terminal.CutRow(line, c.columns))
	}
	for len(out) < height+1 {
		out = append(out, c.look.Paint(terminal.Quiet, "~"))
	}
	if p.typing != nil {
		return picture{append(out, c.look.Paint(terminal.Accent, "/"+p.typing.Value())), len(out), 1 + p.typing.View(c.columns).Column}
	}
	foot := fmt.Sprintf("%d–%d of %d  ↑↓ PgUp PgDn  / search  n next  q close", min(p.top+1, len(p.lines)), min(len(p.lines), p.top+height), len(p.lines))
	switch {
	case c.asking:
		foot = "aura asks whether a tool may run: q closes this view"
	case p.note != "":
		foot = p.note
	}
	return picture{append(out, terminal.CutRow(c.look.Paint(terminal.Quiet, foot), c.columns)), -1, 0}
}

// openTranscript shows the whole conversation with everything unfolded, from its end.
func (u *UI) openTranscript() {
	if u.session == nil {
		u.prompt.remark("the session is still starting")
		return
	}
	p := newPager("Transcript", transcript(u.session.History(), max(u.frame.width(), 20)), *u.frame.colours())
	p.top = len(p.lines)
	u.dialog.open(p)
}

// transcript returns the lines of a conversation.
func transcript(history []llm.Message, width int) []string {
	var out []string
	add := func(head, text string) {
		out = append(out, "── "+plaintext.Line(head))
		for line := range strings.SplitSeq(strings.TrimRight(plaintext.Show(text), "\n"), "\n") {
			out = append(out, wrapped("  "+strings.ReplaceAll(line, "\t", "    "), width)...)
		}
		out = append(out, "")
	}
	for _, m := range history {
		if m.Thinking != "" {
			add("thinking", m.Thinking)
		}
		if m.Content != "" || len(m.ToolCalls) == 0 {
			add(string(m.Role), m.Content)
		}
		for _, c := range m.ToolCalls {
			add("call "+c.Name, arguments(c.Arguments))
		}
	}
	return out
}

// arguments returns the arguments of a call as they were written.
func arguments(raw []byte) string {
	var args map[string]any
	if json.Unmarshal(raw, &args) == nil {
		if text, err := terminal.Call("", args); err == nil {
			return strings.TrimSpace(text)
		}
	}
	return string(raw)
}

// wrapped breaks a plain line.
func wrapped(line string, width int) []string {
	var out []string
	for _, row := range terminal.Rows(terminal.Look{}.Paint(terminal.Plain, line), width) {
		out = append(out, string(row))
	}
	return out
}

// picker lets the user choose one of many.
type picker struct {
	title   string
	command string
	all     []frontend.Choice
	shown   []int
	at      int
	query   lineedit.Editor
	// done is called with the command and the chosen argument, or with nothing if the user chose none.
	done func(line string)
}

// openPicker lets the user choose the argument of a command.
func (u *UI) openPicker(name string) {
	s := u.session
	u.queue.busy = true
	u.show.await(terminal.Activity{What: "/" + name})
	go func() {
		list, err := s.Choices(context.Background(), name)
		u.do(func() {
			u.queue.busy = false
			u.show.stopWaiting()
			switch {
			case err != nil:
				u.say(terminal.Failure, "! "+terminal.Hanging(err.Error()))
			case len(list) == 0:
				u.say(terminal.Quiet, "= /"+name+": there is nothing to choose from")
			default:
				u.dialog.open(newPicker(frontend.OwnCommand(u.commands(), name), list, u.chosen))
				return
			}
			u.next()
		})
	}()
}

// chosen sends what was chosen from a picker, before the lines that wait. Without a choice the queue continues.
func (u *UI) chosen(line string) {
	if line != "" {
		u.queue.addFirst(line)
	}
	go u.do(u.next) // after the present message was handled: the picker is still open
}

func newPicker(name string, list []frontend.Choice, done func(line string)) *picker {
	p := &picker{title: "/" + name, command: name, all: list, done: done}
	p.filter()
	return p
}

func (p *picker) filter() {
	texts := make([]string, len(p.all))
	for i, c := range p.all {
		texts[i] = c.Value + " " + c.Title
	}
	p.shown = filefind.Rank(p.query.Text(), texts, len(texts))
	if p.query.Empty() {
		p.shown = p.shown[:0]
		for i := range p.all {
			p.shown = append(p.shown, i)
		}
	}
	p.at = 0
	for n, i := range p.shown {
		if p.all[i].Current {
			p.at = n
		}
	}
}

func (p *picker) press(key tea.KeyPressMsg, _ int) bool {
	switch key.String() {
	case "esc", "ctrl+c":
		p.done("")
		return true
	case "up", "ctrl+p":
		p.at = max(p.at-1, 0)
	case "down", "ctrl+n":
		p.at = min(p.at+1, max(len(p.shown)-1, 0))
	case "enter":
		if len(p.shown) == 0 {
			return false
		}
		p.done("/" + p.command + " " + p.all[p.shown[p.at]].Value)
		return true
	case "backspace":
		p.query.Backspace()
		p.filter()
	default:
		if key.Text != "" {
			p.query.Insert(key.Text)
			p.filter()
		}
	}
	return false
}

func (p *picker) picture(c canvas) picture {
	head := c.look.Paint(terminal.Strong, p.title+" ") + c.look.Paint(terminal.Plain, p.query.Value())
	out := []terminal.Styled{terminal.CutRow(head, c.columns), ""}
	height := max(c.rows-3, 1)
	first := max(0, p.at-height+1)
	for n := first; n < min(len(p.shown), first+height); n++ {
		item := p.all[p.shown[n]]
		style, lead := terminal.Plain, "  "
		if n == p.at {
			style, lead = terminal.Accent, "› "
		}
		text := c.look.Paint(style, lead+plaintext.Line(item.Value))
		if item.Title != "" && item.Title != item.Value {
			text += c.look.Paint(style, "  "+plaintext.Line(item.Title))
		}
		if item.Detail != "" {
			text += c.look.Paint(terminal.Quiet, "  "+plaintext.Line(item.Detail))
		}
		if item.Current {
			text += c.look.Paint(terminal.Quiet, "  (current)")
		}
		out = append(out, terminal.CutRow(text, c.columns))
	}
	for len(out) < c.rows-1 {
		out = append(out, "")
	}
	out = append(out, terminal.CutRow(c.look.Paint(terminal.Quiet, "type to filter  ↑↓ choose  Enter accept  Esc close"), c.columns))
	return picture{out, 0, min(terminal.Width(p.title)+1+p.query.View(max(c.columns, 1)).Column, max(c.columns-1, 0))}
}
