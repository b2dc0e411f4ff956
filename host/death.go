package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/idelchi/aura/shared"
)

// loadError returns why a child did not start: the plugin's own error, a crash, or a timeout.
func (p *hostProcess) loadError(ctx context.Context, err error, limit time.Duration) error {
	if _, ok := errors.AsType[*shared.Failure](err); ok {
		return &Error{Plugin: p.spec.Name, Doing: "loading", Kind: KindLoad, Err: err}
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	if ctx.Err() != nil || status.Code(err) == codes.DeadlineExceeded {
		err = fmt.Errorf("not loaded within %s (is there an init function that never returns? the limit is timeout: in plugin.yaml)", limit)
		return &Error{Plugin: p.spec.Name, Doing: "loading", Kind: KindTimeout, Err: err}
	}
	if p.awaitExit(deathGrace) {
		if message, ok := initPanic(p.tail.String()); ok && p.spec.Guest != nil {
			// The init functions of a program run before anything in it could recover the panic. Interpreted plugins report it the same way.
			err = errors.New("panic while the plugin was evaluated: " + message)
			return &Error{Plugin: p.spec.Name, Doing: "loading", Kind: KindLoad, Err: err}
		}
		err = p.deathNote()
	}
	return &Error{Plugin: p.spec.Name, Doing: "loading", Kind: KindCrash, Err: err}
}

// deathGrace is how long aura waits for a child to exit after its connection broke, so that it can report the reason. A crashed
// child exits almost immediately, unless the machine is very busy. A child that closed its connection and continues to run is
// killed after this time.
const deathGrace = time.Second

// awaitExit reports whether the child exits within d and all its output has been read.
func (p *hostProcess) awaitExit(d time.Duration) bool {
	proc := p.running()
	if proc == nil {
		return false
	}
	return proc.ExitedWithin(d)
}

// deathNote returns how a dead child died, with the last lines that it printed.
func (p *hostProcess) deathNote() error {
	how := "exited"
	if proc := p.running(); proc != nil && proc.State() != nil {
		how = proc.State().String()
	}
	if last := p.lastWords(); last != "" {
		return fmt.Errorf("the plugin's process died (%s): %s", how, last)
	}
	return fmt.Errorf("the plugin's process died (%s)", how)
}

// lastWords returns the last lines that the child printed, or its crash.
func (p *hostProcess) lastWords() string { return excerpt(p.tail.String(), p.spec.Guest != nil) }

// crashNotice returns why the child died, in the words of a notice. A notice is the only report of a crash, so it names the calls that
// ended with the child. The result of a tool call shows the reason anyway, because the model needs it. The caller holds the lock of the life cycle.
func (c *child) crashNotice(cause error) string {
	doing := slices.Compact(slices.Sorted(slices.Values(c.doing)))
	switch {
	case slices.Contains(doing, PointTool):
		return "its process died in a tool call, whose result shows why"
	case len(doing) > 0:
		return strings.Join(doing, ", ") + ": " + cause.Error()
	}
	return cause.Error()
}

// reported waits until a notice has reported the death of a call's child, and marks the error of the call accordingly. It waits at most
// deathGrace: a call returns soon after its deadline even if the process does not end.
func (s *supervisor) reported(c *child, err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != KindCrash && e.Kind != KindTimeout {
		return err
	}
	timer := time.NewTimer(deathGrace)
	defer timer.Stop()
	for {
		s.life.mu.Lock()
		current, changed := s.life.cur == c, s.life.changed
		e.reported = c.reported
		s.life.mu.Unlock()
		if !current {
			return err
		}
		select {
		case <-changed:
		case <-timer.C:
			return err
		}
	}
}

// overdue returns the error for a call that exceeded its time limit.
func (p *hostProcess) overdue(limit time.Duration) error {
	why := fmt.Sprintf("no answer within %s, so the plugin's process was killed", limit)
	printed, places := hangPlaces(p.tail.String())
	if places != "" {
		why += "; it was in " + places
	}
	if last := excerpt(printed, p.spec.Guest != nil); last != "" {
		why += "; it last printed: " + last
	}
	return errors.New(why)
}

// hangPlaces separates what the plugin printed from where its goroutines were, if the child reported that at last. The log has all of them.
func hangPlaces(text string) (printed, places string) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	first := len(lines)
	for first > 0 && strings.HasPrefix(lines[first-1], shared.HangPrefix) {
		first--
	}
	var list []string
	for _, line := range lines[first:min(len(lines), first+excerptLines/2)] {
		list = append(list, strings.TrimPrefix(line, shared.HangPrefix))
	}
	return strings.Join(lines[:first], "\n"), strings.Join(list, "; ")
}
