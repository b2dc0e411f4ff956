package setup

import (
	"errors"
	"fmt"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/plugin/manifest"
)

// startupFaults returns the faults of plugins that must keep a session from starting: a condition that does not parse, and a guard that
// fails closed and whose manifest does not parse. Without its manifest it is unknown when such a guard applies, so the guard would
// block every call; it is better not to start the session. A guard whose files are refused has a valid manifest. It fails closed like
// a guard that does not load.
func startupFaults(specs []host.Spec) error {
	var faults []error
	for _, s := range specs {
		_, refused := errors.AsType[*manifest.RefusedError](s.Err)
		_, unknown := errors.AsType[*manifest.OnFailureError](s.Err)
		invalid, conditional := errors.AsType[*manifest.ConditionError](s.Err)
		switch {
		case conditional:
			faults = append(faults, invalid)
		case s.Err != nil && !refused && !unknown && s.Manifest.OnFailure == manifest.FailClosed:
			faults = append(faults, fmt.Errorf(
				"starting guard %q, which has on_failure: closed: %w; correct the file, or set disabled: true in it", s.Name, s.Err))
		}
	}
	return errors.Join(faults...)
}
