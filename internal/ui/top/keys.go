package top

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/idelchi/aura/host"
)

// binding is a key of the table.
type binding struct {
	keys []string
	// shown is how the help names the keys.
	shown, about string
	do           func(*model) tea.Cmd
}

// bindings are the keys of the table, in the order of the help.
func bindings() []binding {
	return []binding{
		{[]string{"up", "k"}, "up, k", "select the row above", moves(-1)},
		{[]string{"down", "j"}, "down, j", "select the row below", moves(1)},
		{[]string{"pgup", "ctrl+b"}, "page up", "a screen up", func(m *model) tea.Cmd { return m.move(-m.body()) }},
		{[]string{"pgdown", "ctrl+f", "space"}, "page down", "a screen down", func(m *model) tea.Cmd { return m.move(m.body()) }},
		{[]string{"home", "g"}, "home, g", "the first row", func(m *model) tea.Cmd { return m.move(-len(m.rows)) }},
		{[]string{"end", "G"}, "end, G", "the last row", func(m *model) tea.Cmd { return m.move(len(m.rows)) }},
		{[]string{"s"}, "s", "sort by the next column", sorts(1)},
		{[]string{"S"}, "S", "sort by the previous column", sorts(-1)},
		{[]string{"r"}, "r", "reverse the order", (*model).reverse},
		{[]string{"enter", "l"}, "enter, l", "show the log of the plugin", (*model).openLog},
		{[]string{"R"}, "R", "restart the plugin, after a question", asks(host.ActionRestart)},
		{[]string{"Q"}, "Q", "quarantine the plugin, after a question", asks(host.ActionQuarantine)},
		{[]string{"?", "h"}, "?", "this list", func(m *model) tea.Cmd { m.help = true; return nil }},
		{[]string{"q"}, "q, Ctrl-C", "quit", func(*model) tea.Cmd { return tea.Quit }},
	}
}

// key handles a key.
func (m *model) key(key string) tea.Cmd {
	switch {
	case key == "ctrl+c":
		return tea.Quit
	case key == "ctrl+z":
		return tea.Suspend
	case m.ask != nil:
		return m.answer(key)
	case m.help:
		m.help = false
	case m.log != nil:
		if m.log.key(key, m.width, m.height) {
			m.log = nil
		}
	default:
		m.note = note{}
		for _, b := range bindings() {
			if slices.Contains(b.keys, key) {
				return b.do(m)
			}
		}
	}
	return nil
}

func moves(by int) func(*model) tea.Cmd { return func(m *model) tea.Cmd { return m.move(by) } }

// move selects another row.
func (m *model) move(by int) tea.Cmd {
	if len(m.rows) > 0 {
		m.selected = m.rows[min(max(0, m.index()+by), len(m.rows)-1)].Key()
	}
	return nil
}

// sorts sorts by another column.
func sorts(by int) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		names := Names()
		m.order = Order{Column: names[(slices.Index(names, m.order.Column)+by+len(names))%len(names)]}
		m.sort()
		return nil
	}
}

func (m *model) reverse() tea.Cmd {
	m.order.Reverse = !m.order.Reverse
	m.sort()
	return nil
}

// asks asks before something is done with the selected plugin.
func asks(action host.Action) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		i := m.index()
		if i < 0 {
			return nil
		}
		m.ask = &question{about: m.rows[i].Status, action: action}
		return m.ask.wait()
	}
}

// answer handles a key while a question is asked.
func (m *model) answer(key string) tea.Cmd {
	q := m.ask
	over, yes := q.answer(key)
	if !over {
		return q.wait()
	}
	m.ask = nil
	if !yes {
		m.note = note{text: fmt.Sprintf("%s: nothing done", q.about.Name)}
		return nil
	}
	m.note = note{text: fmt.Sprintf("%s: %s requested", q.about.Name, q.action)}
	return m.act(q.about, q.action)
}

func (m *model) openLog() tea.Cmd {
	if i := m.index(); i >= 0 {
		m.log = newLogView(m.rows[i].Status)
	}
	return nil
}
