package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/idelchi/aura/shared"
)

// loadError explains why a child did not come up: the plugin's own error, its death, or the clock.
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
		err = p.deathNote()
	}
	return &Error{Plugin: p.spec.Name, Doing: "loading", Kind: KindCrash, Err: err}
}

// deathGrace is how long after a broken connection the child's end is awaited, to be able to tell why. A child that crashed is
// gone in a moment, unless the machine is very busy; one that closed its connection and lives on is killed after this time.
const deathGrace = time.Second

// awaitExit reports whether the child is dead and its last words are read, waiting for it at most for d.
func (p *hostProcess) awaitExit(d time.Duration) bool {
	proc := p.running()
	if proc == nil {
		return false
	}
	return proc.ExitedWithin(d)
}

// deathNote tells how a dead child died, with its last words.
func (p *hostProcess) deathNote() error {
	how := "exited"
	if proc := p.running(); proc != nil && proc.State() != nil {
		how = proc.State().String()
	}
	if last := excerpt(p.tail.String()); last != "" {
		return fmt.Errorf("the plugin's process died (%s): %s", how, last)
	}
	return fmt.Errorf("the plugin's process died (%s)", how)
}

// overdue says that a call took longer than it may.
func (p *hostProcess) overdue(limit time.Duration) error {
	if last := excerpt(p.tail.String()); last != "" {
		return fmt.Errorf("no answer within %s, so the plugin's process was killed; it last printed: %s", limit, last)
	}
	return fmt.Errorf("no answer within %s, so the plugin's process was killed", limit)
}
