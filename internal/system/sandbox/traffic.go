package sandbox

import (
	"context"
	"slices"
	"sync"

	"github.com/idelchi/aura/internal/system/netgate"
	"github.com/idelchi/aura/internal/system/network"
)

const (
	// maxRefused is how many different refusals are kept for a call.
	maxRefused = 64
	// maxAnswers is how many answers are kept while calls run.
	maxAnswers = 256
	// maxWaiting is how many questions of a program wait for an answer at a time.
	maxWaiting = 16
)

// Traffic is what one program does in the network: a tool, a plugin, a shell hook or a server. The program may have several processes, one
// after the other or at a time.
type Traffic struct {
	observer Observer

	mu     sync.Mutex
	visits []*Visit
	// changed is closed when a visit ends, and replaced.
	changed chan struct{}
	uses    []*Use
	// answers holds what the user said while calls run, and what the user refused between calls, until the next call begins. waiting holds the
	// questions that wait. Both are by host, port and rule.
	answers map[netgate.Question]netgate.Answer
	waiting map[netgate.Question]*question
}

// Observer is who is interested in traffic. Its functions may be nil, and may be called from any goroutine.
type Observer struct {
	// Seen receives every event. during is whether a call of the program runs, in whose result a refusal is.
	Seen func(e netgate.Event, during bool)
	// Ask decides about a host that no rule names. It returns when the context ends.
	Ask func(context.Context, netgate.Question) netgate.Answer
	// Presets returns what presets stand for. It is asked about those that the rules still name.
	Presets func(names []string) map[string][]network.Pattern
}

// Use collects what the network rules refuse to a program during a call.
type Use struct {
	of      *Traffic
	refused []netgate.Event
	dropped int
}

// question waits for an answer. users is how many connections wait for it. answer is set when done is closed.
type question struct {
	cancel context.CancelFunc
	users  int
	done   chan struct{}
	answer netgate.Answer
}

// NewTraffic returns the traffic of a program.
func NewTraffic(o Observer) *Traffic {
	return &Traffic{observer: o, changed: make(chan struct{}), answers: map[netgate.Question]netgate.Answer{}, waiting: map[netgate.Question]*question{}}
}

// With returns the policy for a program whose traffic is observed.
func (p Policy) With(t *Traffic) Policy {
	p.traffic = t
	return p
}

// Begin begins a call. The caller must call End. It works on nil.
func (t *Traffic) Begin() *Use {
	if t == nil {
		return nil
	}
	u := &Use{of: t}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.uses) == 0 {
		clear(t.answers)
	}
	t.uses = append(t.uses, u)
	return u
}

// End ends the call. It returns what was refused or failed since Begin, each host, port and rule once, and how many events more there were.
// Calls of the same program that run at a time see the refusals of each other. It works on nil.
func (u *Use) End() (refused []netgate.Event, dropped int) {
	if u == nil {
		return nil, 0
	}
	t := u.of
	t.Drain()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.uses = slices.DeleteFunc(t.uses, func(other *Use) bool { return other == u })
	if len(t.uses) == 0 {
		clear(t.answers) // an answer without a pattern is for the calls that ran
	}
	return u.refused, u.dropped
}

// Drain handles what was reported so far. A program that knows that it was refused has been reported.
func (t *Traffic) Drain() {
	t.mu.Lock()
	visits := slices.Clone(t.visits)
	t.mu.Unlock()
	for _, v := range visits {
		v.drain()
	}
}

// Wait waits until no process of the program uses the network, or until ctx ends.
func (t *Traffic) Wait(ctx context.Context) {
	for {
		t.mu.Lock()
		left, changed := len(t.visits), t.changed
		t.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// enter and leave say that a process uses the network.
func (t *Traffic) enter(v *Visit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.visits = append(t.visits, v)
}

func (t *Traffic) leave(v *Visit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.visits = slices.DeleteFunc(t.visits, func(other *Visit) bool { return other == v })
	close(t.changed)
	t.changed = make(chan struct{})
}

// add records an event.
func (t *Traffic) add(e netgate.Event) {
	t.mu.Lock()
	for _, u := range t.uses {
		u.add(e)
	}
	during := len(t.uses) > 0
	t.mu.Unlock()
	if t.observer.Seen != nil {
		t.observer.Seen(e, during)
	}
}

func (u *Use) add(e netgate.Event) {
	u.dropped += e.Dropped
	known := func(o netgate.Event) bool {
		return o.Host == e.Host && o.Port == e.Port && o.Rule == e.Rule && o.Allowed == e.Allowed
	}
	switch {
	case e.Allowed && !e.Failed() || slices.ContainsFunc(u.refused, known):
	case len(u.refused) < maxRefused:
		u.refused = append(u.refused, e)
	default:
		u.dropped++
	}
}

// decide answers a question of the gate about a process with rules. A host of a preset that the rules still name is allowed.
// The user is asked once for all connections to a host and port that wait, and for later ones while calls run. A refusal counts between calls, too.
func (t *Traffic) decide(ctx context.Context, rules network.Rules, q netgate.Question) netgate.Answer {
	if names := rules.Presets(); len(names) > 0 && t.observer.Presets != nil {
		if preset := rules.FromPreset(t.observer.Presets(names), q.Host, q.Port); preset != "" {
			return netgate.Answer{Allowed: true, Rule: "allow: " + network.Preset(preset).String()}
		}
	}
	if t.observer.Ask == nil {
		return netgate.Answer{Rule: q.Rule + ", and nobody can be asked here"}
	}
	t.mu.Lock()
	if a, ok := t.answers[q]; ok {
		t.mu.Unlock()
		return a
	}
	w := t.waiting[q]
	if w == nil {
		if len(t.waiting) >= maxWaiting {
			t.mu.Unlock()
			return netgate.Answer{Rule: q.Rule + ", and too many questions wait for an answer"}
		}
		asking, cancel := context.WithCancel(context.WithoutCancel(ctx))
		w = &question{cancel: cancel, done: make(chan struct{})}
		t.waiting[q] = w
		go t.put(asking, q, w)
	}
	w.users++
	t.mu.Unlock()
	select {
	case <-w.done:
		return w.answer
	case <-ctx.Done():
		t.giveUp(q, w)
		return netgate.Answer{Rule: q.Rule + ", and the process ended before there was an answer"}
	}
}

// put asks the user. ctx ends when the question is withdrawn.
func (t *Traffic) put(ctx context.Context, q netgate.Question, w *question) {
	defer w.cancel()
	w.answer = t.observer.Ask(ctx, q)
	t.mu.Lock()
	defer t.mu.Unlock()
	if ctx.Err() == nil {
		delete(t.waiting, q)
		if (len(t.uses) > 0 || !w.answer.Allowed) && len(t.answers) < maxAnswers {
			t.answers[q] = w.answer
		}
	}
	close(w.done)
}

// giveUp withdraws a question if nobody waits for its answer any more.
func (t *Traffic) giveUp(q netgate.Question, w *question) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w.users--; w.users > 0 {
		return
	}
	if t.waiting[q] == w {
		delete(t.waiting, q)
	}
	w.cancel()
}
