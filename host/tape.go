package host

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/idelchi/aura/shared"
)

// Ask is something that a plugin asked of aura, and the answer. Exactly one of the pointers is set.
type Ask struct {
	State *StateAsk  `json:"state,omitempty"`
	Now   *time.Time `json:"now,omitempty"`
	Rand  *uint64    `json:"rand,omitempty"`
	// Err is the error that the plugin received instead of an answer.
	Err string `json:"error,omitempty"`
}

// StateAsk is an operation on a store of the plugin, and its result.
type StateAsk struct {
	Request shared.StateRequest `json:"request"`
	Answer  shared.StateAnswer  `json:"answer"`
}

// Started reports that a child of a plugin is ready.
type Started struct {
	Plugin, Version string
	// Child counts the processes of the plugin from 1.
	Child int
	// Env is the environment of the child, with the variables that are granted to the plugin.
	Env []string
	// Asked is what the plugin asked while it was loaded.
	Asked []Ask
}

// announced reports a child that is ready, unless it is nil.
func (s *supervisor) announced(c *child) *child {
	if c == nil || s.opts.Observer.OnCall == nil || s.opts.Observer.OnStart == nil {
		return c
	}
	s.life.mu.Lock()
	asked := c.tape.loose.asked
	c.tape.loose = taped{}
	spec := s.life.spec
	s.life.mu.Unlock()
	s.opts.Observer.OnStart(Started{Plugin: spec.Name, Version: c.version, Child: c.number, Env: environOf(s.opts, spec), Asked: asked})
	return c
}

// The asks of one call that are kept: their number and their size in bytes. Further ones make the call one that cannot be repeated.
const (
	maxAsks     = 10_000
	maxAskBytes = 4 << 20
)

// tape keeps what one child asks, for the calls that were running meanwhile. The lock of the life cycle guards it.
type tape struct {
	running []*taped
	// loose is what the plugin asked while no call was running.
	loose taped
}

// taped is what was asked during a call.
type taped struct {
	asked []Ask
	bytes int
	mixed bool
}

// begin adds a call. What was asked before it belongs to nobody else.
func (t *tape) begin() *taped {
	call := t.loose
	call.mixed = len(call.asked) > 0
	t.loose = taped{}
	t.running = append(t.running, &call)
	if len(t.running) > 1 {
		for _, c := range t.running {
			c.mixed = true
		}
	}
	return &call
}

func (t *tape) end(call *taped) {
	t.running = slices.DeleteFunc(t.running, func(c *taped) bool { return c == call })
}

func (t *tape) add(a Ask) {
	if len(t.running) == 0 {
		t.loose.add(a)
	}
	for _, c := range t.running {
		c.add(a)
	}
}

func (c *taped) add(a Ask) {
	size := a.size()
	if len(c.asked) >= maxAsks || c.bytes+size > maxAskBytes {
		c.mixed = true
		return
	}
	c.asked, c.bytes = append(c.asked, a), c.bytes+size
}

// size returns how many bytes of text the ask has.
func (a Ask) size() int {
	size := len(a.Err)
	if s := a.State; s != nil {
		size += len(s.Request.Key) + len(s.Request.Value) + len(s.Answer.Value)
		for _, key := range s.Answer.Keys {
			size += len(key)
		}
	}
	return size
}

// asked puts an ask of the child on its tape, if somebody listens to calls.
func (s services) asked(a Ask, err error) {
	if s.sup.opts.Observer.OnCall == nil || s.tape == nil {
		return
	}
	if err != nil {
		a.Err = err.Error()
	}
	s.sup.life.mu.Lock()
	defer s.sup.life.mu.Unlock()
	s.tape.add(a)
}

// Now returns the time that the options give, or the current time.
func (s services) Now(context.Context) (time.Time, error) {
	now := time.Now().Round(0)
	if s.sup.opts.Now != nil {
		now = s.sup.opts.Now(s.sup.reports.plugin)
	}
	s.asked(Ask{Now: &now}, nil)
	return now, nil
}

// Rand is like Now for a random number.
func (s services) Rand(context.Context) (uint64, error) {
	n := rand.Uint64()
	if s.sup.opts.Rand != nil {
		n = s.sup.opts.Rand(s.sup.reports.plugin)
	}
	s.asked(Ask{Rand: &n}, nil)
	return n, nil
}
