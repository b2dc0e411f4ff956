package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/base/telemetry"
	"github.com/idelchi/aura/internal/system/audit"
	"github.com/idelchi/aura/internal/system/machinepolicy"
)

// auditing is the audit log of a command line, from the moment in which its policy is known.
type auditing struct {
	// stop ends the command: the policy permits nothing that is not recorded.
	stop context.CancelCauseFunc

	mu  sync.Mutex
	log *audit.Log
	// to is where the log goes, and under which policy.
	to     machinepolicy.Audit
	policy string
	// lost is what logs could not write that a policy that was read later has replaced.
	lost error
}

// open opens the log that a policy asks for, in place of the one before. It does nothing if neither the log nor the policy changed.
func (a *auditing) open(p *machinepolicy.Policy, environ []string) error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	to, ok := p.Audit()
	if to == a.to && p.Hash() == a.policy {
		return nil
	}
	var next *audit.Log
	if ok {
		o := audit.Options{
			To: string(to.To), Address: to.Address, Policy: p.Hash(), Secrets: redact.New(append(redact.Environ(environ), telemetry.Secrets()...)...),
		}
		if to.OnFailure == machinepolicy.Stop {
			o.Stop = func(err error) { a.stop(err) }
		}
		var err error
		if next, err = audit.Open(o); err != nil {
			return fmt.Errorf("%w; %s", err, to.Rule)
		}
	}
	audit.Use(next)
	a.lost = errors.Join(a.lost, a.log.Close())
	a.log, a.to, a.policy = next, to, p.Hash()
	return nil
}

// close writes what waits, and reports what was lost. It returns the error of the command: why the log stopped it, if the log did.
func (a *auditing) close(ctx context.Context, w io.Writer, err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	audit.Use(nil)
	if lost := errors.Join(a.lost, a.log.Close()); lost != nil {
		fmt.Fprintf(w, "! %s\n", clean(lost.Error()))
	}
	if stopped, ok := errors.AsType[*audit.StoppedError](context.Cause(ctx)); ok {
		return stopped
	}
	return err
}
