package top

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/idelchi/aura/host"
)

// model is the state of the screen. Bubble Tea calls its methods from one goroutine.
type model struct {
	o             Options
	width, height int
	// act asks a session to do something with a plugin. lost reports whether the terminal is gone.
	act  func(host.Status, host.Action) tea.Cmd
	lost func() bool

	// before and now are the last two readings; their times are zero until they exist. rows are the sorted rows of now.
	before, now Reading
	rows        []Row
	order       Order
	// selected is the key of the selected row, which stays selected wherever sorting puts it. first is the first visible row.
	selected string
	first    int

	// At most one of the following is shown instead of the table or below it.
	log  *logView
	ask  *question
	help bool
	// note is the result of the last action.
	note note
	// gone is set if the terminal is gone.
	gone bool
}

// note is a line about what happened.
type note struct {
	text   string
	failed bool
}

// The messages of the model.
type (
	tick  struct{}
	acted struct {
		plugin string
		action host.Action
		answer host.Answer
		err    error
	}
)

func newModel(o Options) *model { return &model{o: o, order: o.Order} }

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return m.read }

// read asks all sessions.
func (m *model) read() tea.Msg { return m.o.Read() }

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case Reading:
		m.setReading(msg)
		return m, tea.Tick(Interval, func(time.Time) tea.Msg { return tick{} })
	case tick:
		if m.lost() {
			m.gone = true
			return m, tea.Quit
		}
		if m.log != nil {
			m.log.poll()
		}
		return m, m.read
	case acted:
		m.note = noteOf(msg)
	case armed:
		m.ask.arm(msg)
	case tea.KeyPressMsg:
		return m, m.key(msg.String())
	}
	return m, nil
}

// setReading replaces the readings.
func (m *model) setReading(r Reading) {
	m.before, m.now = m.now, r
	m.rows = Rows(m.before, m.now)
	m.sort()
}

func (m *model) sort() {
	m.order.Sort(m.rows)
	if len(m.rows) > 0 && m.index() < 0 {
		m.selected = m.rows[0].Key()
	}
}

// index returns the index of the selected row, or -1.
func (m *model) index() int {
	return slices.IndexFunc(m.rows, func(r Row) bool { return r.Key() == m.selected })
}

func noteOf(a acted) note {
	if a.err != nil {
		return note{fmt.Sprintf("%s: %s failed: %v", a.plugin, a.action, a.err), true}
	}
	if a.answer.Pid > 0 {
		return note{text: fmt.Sprintf("%s: %s done, now %s with pid %d", a.plugin, a.action, a.answer.State, a.answer.Pid)}
	}
	return note{text: fmt.Sprintf("%s: %s done, now %s", a.plugin, a.action, a.answer.State)}
}
