package top

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/idelchi/aura/host"
)

// silence is how long no key must be typed before a question can be answered. Keys that were meant for the table are typed before.
const silence = 400 * time.Millisecond

// question asks whether to do something with a plugin. Keys typed before it is armed do not answer it.
type question struct {
	about  host.Status
	action host.Action
	armed  bool
	// typed counts the keys since the question appeared.
	typed int
}

// armed is the message that nothing was typed for a while after a number of keys.
type armed struct {
	question *question
	typed    int
}

func (q *question) wait() tea.Cmd {
	msg := armed{q, q.typed}
	return tea.Tick(silence, func(time.Time) tea.Msg { return msg })
}

// arm lets the question be answered, unless a key was typed meanwhile or another question is asked by now.
func (q *question) arm(msg armed) {
	if q != nil && q == msg.question && q.typed == msg.typed {
		q.armed = true
	}
}

// answer handles a key. It reports whether the question is over, and whether the answer is yes.
func (q *question) answer(key string) (over, yes bool) {
	switch {
	case key == "esc":
		return true, false
	case !q.armed:
		q.typed++
		return false, false
	default:
		return true, key == "y" || key == "Y"
	}
}
