package setup

import (
	"errors"
	"fmt"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/manifest"
)

// brokenGuards is the error for guards that fail closed and whose manifests do not parse. Without its manifest nobody knows when
// such a guard applies, so a session with it would block every call; it is better not to begin. A guard whose files are refused
// has a sound manifest: it fails closed as one that does not load.
func brokenGuards(specs []host.Spec) error {
	var faults []error
	for _, s := range specs {
		_, refused := errors.AsType[*manifest.RefusedError](s.Err)
		_, unknown := errors.AsType[*manifest.OnFailureError](s.Err)
		if s.Err != nil && !refused && !unknown && s.Manifest.OnFailure == manifest.FailClosed {
			faults = append(faults, fmt.Errorf(
				"starting guard %q, which has on_failure: closed: %w; correct the file, or set disabled: true in it", s.Name, s.Err))
		}
	}
	return errors.Join(faults...)
}
