package top

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// frame is the number of lines around the rows: the title, the titles of the columns, the line about the selected plugin and the last
// line.
const frame = 4

// body returns how many rows are visible.
func (m *model) body() int { return max(1, m.height-frame) }

// View implements tea.Model.
func (m *model) View() tea.View {
	var lines []terminal.Styled
	switch {
	case m.width == 0:
	case m.help:
		lines = m.helpLines()
	case m.log != nil:
		lines = m.log.lines(m.o.Look, m.width, m.height)
	default:
		lines = m.tableLines()
	}
	if len(lines) > m.height {
		// The last line has the question, so the lines above it give way.
		lines = append(lines[:max(0, m.height-1)], lines[len(lines)-1])
	}
	text := make([]string, len(lines))
	for i, line := range lines {
		text[i] = string(line)
	}
	v := tea.NewView(strings.Join(text, "\n"))
	v.AltScreen = true
	return v
}

// paint fits a text into a line.
func (m *model) paint(s terminal.Style, text string) terminal.Styled {
	return m.o.Look.Paint(s, cut(text, m.width))
}

func (m *model) tableLines() []terminal.Styled {
	lines := []terminal.Styled{m.paint(terminal.Quiet, m.title())}
	texts := Lines(m.rows, max(1, m.width-2))
	lines = append(lines, m.paint(terminal.Strong, "  "+texts[0]))
	m.scroll()
	for i := m.first; i < min(len(m.rows), m.first+m.body()); i++ {
		mark, style := "  ", styleOf(m.rows[i].State)
		if m.rows[i].Key() == m.selected {
			mark, style = "> ", style.With(terminal.Strong)
		}
		lines = append(lines, m.paint(style, mark+texts[i+1]))
	}
	for len(lines) < m.height-2 {
		lines = append(lines, "")
	}
	return append(lines, m.paint(terminal.Quiet, m.detail()), m.lastLine())
}

// scroll moves the visible rows so that the selected one is among them.
func (m *model) scroll() {
	i := max(0, m.index())
	m.first = min(max(m.first, i-m.body()+1), i, max(0, len(m.rows)-m.body()))
	m.first = max(m.first, i-m.body()+1)
}

func styleOf(s host.State) terminal.Style {
	switch s {
	case host.StateQuarantined, host.StateStopped:
		return terminal.Failure
	case host.StateRestarting, host.StateStarting:
		return terminal.Warning
	case host.StateBusy:
		return terminal.Accent
	default:
		return terminal.Plain
	}
}

// title returns the first line.
func (m *model) title() string {
	if m.now.At.IsZero() {
		return "aura plugins top: asking the sessions"
	}
	sessions := map[int]bool{}
	for _, r := range m.rows {
		sessions[r.SessionPid] = true
	}
	order := m.order.Column
	if m.order.Reverse {
		order += ", reversed"
	}
	return fmt.Sprintf("%s in %s, by %s", plaintext.Counted(len(m.rows), "plugin"), plaintext.Counted(len(sessions), "session"), order)
}

// detail returns the line about the plugin that is selected or asked about.
func (m *model) detail() string {
	var s host.Status
	switch i := m.index(); {
	case m.ask != nil:
		s = m.ask.about
	case i >= 0:
		s = m.rows[i].Status
	default:
		return ""
	}
	text := fmt.Sprintf("session %s in %s", s.Session, s.Project)
	if s.LastExit != "" {
		text = fmt.Sprintf("last exit: %s; %s", s.LastExit, text)
	}
	return s.Name + ": " + text
}

// lastLine returns the question, the result of the last action, or the most important keys.
func (m *model) lastLine() terminal.Styled {
	switch {
	case m.ask != nil:
		verb := map[host.Action]string{host.ActionRestart: "Restart ", host.ActionQuarantine: "Quarantine "}[m.ask.action]
		// The question and its answers stay visible however long the name is.
		text := verb + cut(m.ask.about.Name, max(1, m.width-len(verb)-len("? y/n"))) + "?"
		if m.ask.armed {
			text += " y/n"
		}
		return m.paint(terminal.Strong, text)
	case m.note.failed:
		return m.paint(terminal.Failure, m.note.text)
	case m.note.text != "":
		return m.paint(terminal.Plain, m.note.text)
	case len(m.rows) == 0 && !m.now.At.IsZero():
		return m.paint(terminal.Quiet, m.o.None+"; q quits")
	default:
		return m.paint(terminal.Quiet, "? keys  q quit  s sort  l log  R restart  Q quarantine")
	}
}

func (m *model) helpLines() []terminal.Styled {
	var lines []terminal.Styled
	for _, b := range bindings() {
		lines = append(lines, m.paint(terminal.Plain, fmt.Sprintf("%-10s %s", b.shown, b.about)))
	}
	return append(lines, m.paint(terminal.Quiet, "any key returns"))
}
