package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/base/telemetry"
	"github.com/idelchi/aura/internal/system/audit"
	"github.com/idelchi/aura/internal/system/machinepolicy"
)

// auditing is the audit log of a command line, from the moment in which its policy is known.
type auditing struct {
	log *audit.Log
	// stop ends the command: the policy permits nothing that is not recorded.
	stop context.CancelCauseFunc
}

// open opens the log that a policy asks for, if it asks for one.
func (a *auditing) open(p *machinepolicy.Policy, environ []string) error {
	to, ok := p.Audit()
	if !ok || a == nil {
		return nil
	}
	o := audit.Options{
		To: string(to.To), Address: to.Address, Policy: p.Hash(), Secrets: redact.New(append(redact.Environ(environ), telemetry.Secrets()...)...),
	}
	if to.OnFailure == machinepolicy.Stop {
		o.Stop = func(err error) { a.stop(err) }
	}
	var err error
	if a.log, err = audit.Open(o); err != nil {
		return fmt.Errorf("%w; %s", err, to.Rule)
	}
	audit.Use(a.log)
	return nil
}

// close writes what waits, and reports what was lost. It returns the error of the command: why the log stopped it, if the log did.
func (a *auditing) close(ctx context.Context, w io.Writer, err error) error {
	if a.log == nil {
		return err
	}
	audit.Use(nil)
	if lost := a.log.Close(); lost != nil {
		fmt.Fprintf(w, "! %s\n", clean(lost.Error()))
	}
	if stopped, ok := errors.AsType[*audit.StoppedError](context.Cause(ctx)); ok {
		return stopped
	}
	return err
}
