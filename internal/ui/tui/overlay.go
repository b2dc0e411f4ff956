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
	// press handles a key and reports whether the overlay closes.
	press(u *UI, key tea.KeyPressMsg) (closes bool)
	// rows returns the rows of the screen and the position of the cursor; a negative row hides the cursor.
	rows(u *UI) (rows []terminal.Styled, row, column int)
}

const (
	enterAlternate = "\x1b[?1049h"
	leaveAlternate = "\x1b[?1049l"
)

func (u *UI) openOverlay(o overlay) {
	err := u.screen.Clear()
	if err == nil {
		_, err = u.o.Out.WriteString(enterAlternate)
	}
	if err != nil {
		u.failed = err
	}
	u.overlay = o
}

func (u *UI) closeOverlay() {
	u.overlay = nil
	if _, err := u.o.Out.WriteString(leaveAlternate + "\x1b[?25h"); err != nil {
		u.failed = err
	}
	if u.question != nil {
		u.question.again(u)
	}
}

func (u *UI) drawOverlay() error {
	rows, row, column := u.overlay.rows(u)
	var b strings.Builder
	b.WriteString("\x1b[?2026h\x1b[?25l\x1b[?7l\x1b[H")
	for i := range u.rows {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString("\x1b[2K")
		if i < len(rows) {
			b.WriteString(string(rows[i]))
		}
	}
	b.WriteString("\x1b[?7h")
	if row >= 0 {
		fmt.Fprintf(&b, "\x1b[%d;%dH\x1b[?25h", row+1, column+1)
	}
	b.WriteString("\x1b[?2026l")
	_, err := u.o.Out.WriteString(b.String())
	if err != nil {
		return fmt.Errorf("drawing on the terminal: %w", err)
	}
	return nil
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

func (p *pager) press(u *UI, key tea.KeyPressMsg) bool {
	page := max(u.rows-3, 1)
	if p.typing != nil {
		p.typeQuery(u, key)
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
	p.clamp(u)
	return false
}

func (p *pager) clamp(u *UI) { p.top = max(0, min(p.top, len(p.lines)-max(u.rows-2, 1))) }

func (p *pager) typeQuery(u *UI, key tea.KeyPressMsg) {
	switch key.String() {
	case "enter":
		p.query, p.typing = p.typing.Text(), nil
		p.find(p.top, 1)
		p.clamp(u)
	case "esc", "ctrl+c":
		p.typing = nil
	case "backspace":
		p.typing.Backspace()
	default:
		p.typing.Insert(key.Text)
	}
}

// find goes to the next line with the query, from a line on, in a direction.
func (p *pager) find(from, step int) {
	query := strings.ToLower(p.query)
	for i := from; query != "" && i >= 0 && i < len(p.plain); i += step {
		if strings.Contains(strings.ToLower(p.plain[i]), query) {
			p.top = i
			return
		}
	}
	p.note = fmt.Sprintf("%q not found", p.query)
}

func (p *pager) rows(u *UI) ([]terminal.Styled, int, int) {
	height := max(u.rows-2, 1)
	p.clamp(u)
	out := []terminal.Styled{terminal.CutRow(u.look.Paint(terminal.Strong, p.title), u.columns)}
	for _, line := range p.lines[p.top:min(len(p.lines), p.top+height)] {
		out = append(out, terminal.CutRow(line, u.columns))
	}
	for len(out) < height+1 {
		out = append(out, u.look.Paint(terminal.Quiet, "~"))
	}
	if p.typing != nil {
		return append(out, u.look.Paint(terminal.Accent, "/"+p.typing.Value())), len(out), 1 + p.typing.View(u.columns).Column
	}
	foot := fmt.Sprintf("%d–%d of %d  ↑↓ PgUp PgDn  / search  n next  q close", min(p.top+1, len(p.lines)), min(len(p.lines), p.top+height), len(p.lines))
	switch {
	case u.question != nil:
		foot = "aura asks whether a tool may run: q closes this view"
	case p.note != "":
		foot = p.note
	}
	return append(out, terminal.CutRow(u.look.Paint(terminal.Quiet, foot), u.columns)), -1, 0
}

// openTranscript shows the whole conversation with everything unfolded.
func (u *UI) openTranscript() {
	if u.session == nil {
		u.hint = "the session is still starting"
		return
	}
	u.openOverlay(newPager("Transcript", transcript(u.session.History(), max(u.columns, 20)), u.look))
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
}

// openPicker lets the user choose the argument of a command.
func (u *UI) openPicker(name string) {
	s := u.session
	u.busy = true
	u.show.await(terminal.Activity{What: "/" + name})
	go func() {
		list, err := s.Choices(context.Background(), name)
		u.do(func() {
			u.busy = false
			u.show.settle()
			switch {
			case err != nil:
				u.say(terminal.Failure, "! "+terminal.Hanging(err.Error()))
			case len(list) == 0:
				u.say(terminal.Quiet, "= /"+name+": there is nothing to choose from")
			default:
				p := &picker{title: "/" + name, command: name, all: list}
				p.filter()
				u.openOverlay(p)
				return
			}
			u.next()
		})
	}()
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

func (p *picker) press(u *UI, key tea.KeyPressMsg) bool {
	switch key.String() {
	case "esc", "ctrl+c":
		u.later(u.next)
		return true
	case "up", "ctrl+p":
		p.at = max(p.at-1, 0)
	case "down", "ctrl+n":
		p.at = min(p.at+1, max(len(p.shown)-1, 0))
	case "enter":
		if len(p.shown) == 0 {
			return false
		}
		u.queue = append([]string{"/" + p.command + " " + p.all[p.shown[p.at]].Value}, u.queue...)
		u.later(u.next)
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

// later runs a function after the present message was handled.
func (u *UI) later(f func()) { go u.do(f) }

func (p *picker) rows(u *UI) ([]terminal.Styled, int, int) {
	head := u.look.Paint(terminal.Strong, p.title+" ") + u.look.Paint(terminal.Plain, p.query.Value())
	out := []terminal.Styled{terminal.CutRow(head, u.columns), ""}
	height := max(u.rows-3, 1)
	first := max(0, p.at-height+1)
	for n := first; n < min(len(p.shown), first+height); n++ {
		c := p.all[p.shown[n]]
		style, lead := terminal.Plain, "  "
		if n == p.at {
			style, lead = terminal.Accent, "› "
		}
		text := u.look.Paint(style, lead+plaintext.Line(c.Value))
		if c.Title != "" && c.Title != c.Value {
			text += u.look.Paint(style, "  "+plaintext.Line(c.Title))
		}
		if c.Detail != "" {
			text += u.look.Paint(terminal.Quiet, "  "+plaintext.Line(c.Detail))
		}
		if c.Current {
			text += u.look.Paint(terminal.Quiet, "  (current)")
		}
		out = append(out, terminal.CutRow(text, u.columns))
	}
	for len(out) < u.rows-1 {
		out = append(out, "")
	}
	out = append(out, terminal.CutRow(u.look.Paint(terminal.Quiet, "type to filter  ↑↓ choose  Enter accept  Esc close"), u.columns))
	return out, 0, min(terminal.Width(p.title)+1+p.query.View(max(u.columns, 1)).Column, max(u.columns-1, 0))
}
