// Package background holds the commands of a session that run beside the conversation: their output, how they ended, and the tools with which
// the model looks at them and ends them. How a command is started and confined is the caller's business.
package background

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// MaxRunning is how many commands run at the same time.
	MaxRunning = 50
	// maxKept is how many commands that have ended are remembered. The oldest is forgotten first.
	maxKept = 50
	// commandShown is how much of a command is shown where many are listed, in runes.
	commandShown = 120
)

// errKilled is the cause of the end of a command that the model killed, errClosed that of a command whose session ended.
var (
	errKilled = errors.New("killed")
	errClosed = errors.New("the session has ended")
)

// Run runs a command to its end. It returns when nothing that the command started is left, soon after ctx has ended. It passes the output to
// progress while it runs, from one goroutine. The returned output may be shortened.
type Run func(ctx context.Context, progress func(text string)) (output string, err error)

// Set holds the commands of a session. A nil Set runs none. Its methods may be called from any goroutine.
type Set struct {
	// Ended is called when a command has ended, with a sentence for the user; nil for nobody. It may be called from any goroutine.
	Ended func(text string)

	mu     sync.Mutex
	closed bool
	// started counts the commands of the session, including those of earlier runs of it.
	started int
	tasks   []*task
	// notes are the sentences that the model has not received yet.
	notes []string
	wait  sync.WaitGroup
}

// task is a command.
type task struct {
	id, command string
	began       time.Time
	cancel      context.CancelCauseFunc
	done        chan struct{}

	// The lock of the Set guards the fields below.
	output output
	ended  time.Time
	err    error
	// noted is set once the model knows that the command has ended.
	noted bool
}

// Info describes a command.
type Info struct {
	ID      string `json:"id"`
	Command string `json:"command"`
	// Running is false once the command and everything that it started is gone.
	Running bool `json:"running"`
	// Time is how long it has run.
	Time time.Duration `json:"time_ns"`
	// Result says how it ended; empty while it runs.
	Result string `json:"result,omitempty"`
	// Newest is the end of its output.
	Newest string `json:"newest,omitempty"`
}

// Begin starts a command and returns its id. The command runs until it ends, until it is killed, or until the Set is closed.
func (s *Set) Begin(command string, run Run) (id string, err error) {
	if s == nil {
		return "", errors.New("starting a command in the background: only the main conversation of a session can do that; run it without background")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return "", fmt.Errorf("starting a command in the background: %w", errClosed)
	case s.running() >= MaxRunning:
		return "", fmt.Errorf("starting a command in the background: %d run already, which is the limit; end one with %s, or wait until one ends", MaxRunning, KillName)
	}
	s.started++
	ctx, cancel := context.WithCancelCause(context.Background())
	t := &task{id: "b" + strconv.Itoa(s.started), command: command, began: time.Now(), cancel: cancel, done: make(chan struct{})}
	s.tasks = append(s.tasks, t)
	s.wait.Go(func() {
		defer cancel(nil)
		output, err := s.execute(ctx, t, run)
		s.finish(t, output, err)
	})
	return t.id, nil
}

// execute runs a command. A panic is returned as an error, because nobody else would receive it.
func (s *Set) execute(ctx context.Context, t *task, run Run) (output string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("running a command in the background: panic: %v", r)
		}
	}()
	return run(ctx, func(text string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		t.output.add(text)
	})
}

// finish records the end of a command.
func (s *Set) finish(t *task, result string, err error) {
	s.mu.Lock()
	t.output.finish(result)
	t.ended, t.err = time.Now(), err
	var note string
	if !t.noted && !errors.Is(err, errClosed) {
		note = fmt.Sprintf("background command %s (%s) %s", t.id, brief(t.command), t.state())
		s.notes = append(s.notes, note+"; "+OutputName+" returns its output")
		t.noted = true
	}
	s.forget()
	ended := s.Ended
	s.mu.Unlock()
	close(t.done)
	if note != "" && ended != nil {
		ended(note)
	}
}

// forget removes the oldest commands that have ended. The caller holds the lock.
func (s *Set) forget() {
	over := len(s.tasks) - s.running() - maxKept
	s.tasks = slices.DeleteFunc(s.tasks, func(t *task) bool {
		over--
		if t.ended.IsZero() {
			over++
			return false
		}
		return over >= 0
	})
	if most := 2 * maxKept; len(s.notes) > most {
		s.notes = s.notes[len(s.notes)-most:]
	}
}

// running counts the commands that run. The caller holds the lock.
func (s *Set) running() int {
	n := 0
	for _, t := range s.tasks {
		if t.ended.IsZero() {
			n++
		}
	}
	return n
}

// Running returns how many commands run.
func (s *Set) Running() int {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running()
}

// Used reports whether the session has started a command.
func (s *Set) Used() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.started > 0
}

// List describes the commands, in the order in which they were started.
func (s *Set) List() []Info {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Info
	for _, t := range s.tasks {
		one := Info{ID: t.id, Command: t.command, Running: t.ended.IsZero(), Time: t.time(), Newest: t.output.newest()}
		if !one.Running {
			one.Result = t.result()
		}
		out = append(out, one)
	}
	return out
}

// Notes returns what the model has not learned yet about commands that ended. The next call does not return it again.
func (s *Set) Notes() []string {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.notes
	s.notes = nil
	return out
}

// Kill ends a command. When it returns, nothing that the command started is left.
func (s *Set) Kill(id string) (Info, error) {
	t, err := s.find(id)
	if err != nil {
		return Info{}, err
	}
	s.mu.Lock()
	t.noted = true
	s.mu.Unlock()
	t.cancel(errKilled)
	<-t.done
	s.mu.Lock()
	defer s.mu.Unlock()
	return Info{ID: t.id, Command: t.command, Time: t.time(), Result: t.result(), Newest: t.output.newest()}, nil
}

// find returns the command with an id.
func (s *Set) find(id string) (*task, error) {
	if s == nil {
		return nil, fmt.Errorf("looking for background command %q: there are none here", id)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var known []string
	for _, t := range s.tasks {
		if t.id == id {
			return t, nil
		}
		known = append(known, t.id)
	}
	if len(known) == 0 {
		return nil, fmt.Errorf("looking for background command %q: this session runs none", id)
	}
	return nil, fmt.Errorf("looking for background command %q: it does not exist; known: %s", id, strings.Join(known, ", "))
}

// Saved is what is saved of the commands with the session: their number, and those whose end the model does not know.
type Saved struct {
	Started int      `json:"started"`
	Open    []string `json:"open,omitempty"`
}

// Save returns what is saved with the session.
func (s *Set) Save() Saved {
	if s == nil {
		return Saved{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := Saved{Started: s.started}
	for _, t := range s.tasks {
		if t.ended.IsZero() && !t.noted {
			out.Open = append(out.Open, fmt.Sprintf("%s (%s)", t.id, brief(t.command)))
		}
	}
	return out
}

// Restore continues after an earlier run of the session, which ended all commands of the Set. It returns a sentence about those that ended
// with it; it is empty if there were none.
func (s *Set) Restore(from Saved) string {
	s.End()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started, s.tasks, s.notes = max(from.Started, 0), nil, nil
	if len(from.Open) == 0 {
		return ""
	}
	// The file can be edited by hand.
	open := from.Open[:min(len(from.Open), MaxRunning)]
	for i := range open {
		open[i] = brief(open[i])
	}
	note := "these background commands ended with the earlier run of the session, and their output is gone: " + strings.Join(open, ", ")
	s.notes = []string{note}
	return note
}

// End ends all commands and waits until nothing that they started is left. It returns how many there were.
func (s *Set) End() int {
	s.mu.Lock()
	n := s.running()
	for _, t := range s.tasks {
		t.cancel(errClosed)
	}
	s.mu.Unlock()
	s.wait.Wait()
	return n
}

// Close ends all commands. No command can be started after it.
func (s *Set) Close() int {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	return s.End()
}

// time is how long a command has run.
func (t *task) time() time.Duration {
	if t.ended.IsZero() {
		return time.Since(t.began)
	}
	return t.ended.Sub(t.began)
}

// result says how a command ended.
func (t *task) result() string {
	if t.err == nil {
		return "exit status 0"
	}
	text, _, _ := strings.Cut(t.err.Error(), "\n")
	return text
}

// state says whether a command runs, or how it ended.
func (t *task) state() string {
	seconds := t.time().Round(time.Second / 10)
	if t.ended.IsZero() {
		return fmt.Sprintf("has been running for %s", seconds)
	}
	return fmt.Sprintf("ended after %s: %s", seconds, t.result())
}

// brief returns a command in one short line.
func brief(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > commandShown {
		return string(runes[:commandShown-1]) + "…"
	}
	return string(runes)
}
