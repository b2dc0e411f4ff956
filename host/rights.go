package host

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNotPermitted means that the user does not permit the runtime that a plugin asks for.
var ErrNotPermitted = errors.New("the runtime is not permitted")

// withdrawn returns the rights that a plugin has as before and lacks as next, in words; empty if it lacks none. What a broken
// manifest does not show counts as unchanged.
func withdrawn(before, next Spec) string {
	var out []string
	lost := func(right string, gone bool) {
		if gone {
			out = append(out, right)
		}
	}
	lost("unsafe mode", before.Unsafe && !next.Unsafe)
	known := next.Err == nil || next.Manifest.Decoded
	if known {
		gone := slices.DeleteFunc(slices.Clone(before.variables()), func(name string) bool {
			return granted(next.variables(), name) || name == "PATH"
		})
		lost("the environment variables "+strings.Join(gone, ", "), len(gone) > 0)
	}
	lost("its memory limit", known && next.Manifest.Limits.Memory < before.Manifest.Limits.Memory)
	switch had, has := before.Sandbox, next.Sandbox; {
	case has == nil:
	case had == nil:
		lost("running without a sandbox", true)
	default:
		lost("the network", has.LessNetwork(*had))
		rest := *had
		rest.Network, rest.Hosts = has.Network, has.Hosts
		lost("what the sandbox denies now", has.Stricter(rest))
	}
	lost("files outside the sandbox", before.Unconfined && !next.Unconfined)
	// A mistake in the files also keeps a plugin from being compiled.
	mistake := next.NativeError != nil || next.Err != nil && !errors.Is(next.Err, ErrNotPermitted)
	lost("running as a compiled program", before.Native != nil && next.Native == nil && !mistake)
	return strings.Join(out, "; ")
}

// ErrClosing is why plugins end with their session.
var ErrClosing = errors.New("aura is shutting down")

// consent returns why the user's consent to the plugin no longer holds, or nil.
func (s Spec) consent() error {
	if s.Consented == nil {
		return nil
	}
	return s.Consented()
}

// refused returns why the plugin may not go on as it runs, after it failed to start as next: nil if the failure is a mistake in its
// files alone.
func refused(before, next Spec, failure error) error {
	if err := next.consent(); err != nil {
		return err
	}
	right := withdrawn(before, next)
	if right == "" {
		return nil
	}
	return fmt.Errorf("it no longer has a right that it ran with (%s), and it does not load without it: %w", right, Reason(failure))
}

// stopFor ends the child of a plugin that may not go on, and gives the plugin the specification that says so. The plugin stays down
// until a change lets it load.
func (s *supervisor) stopFor(spec Spec, why error) {
	s.life.mu.Lock()
	old, err := s.retire(StateStopped, why.Error(), &Error{Plugin: spec.Name, Kind: KindLoad, Err: why})
	if errors.Is(err, errEnding) {
		s.life.mu.Unlock()
		return
	}
	s.life.spec, s.code.known = spec, false
	s.reports.notify(NoticeReload, fmt.Sprintf("plugin %q is stopped: %v", spec.Name, why))
	s.life.mu.Unlock()
	if old != nil {
		old.stop()
	}
}
