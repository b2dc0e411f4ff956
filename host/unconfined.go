package host

import (
	"context"

	"github.com/idelchi/aura/shared"
)

// notSandboxable is what a child's report says if its files are not confined.
const notSandboxable = "files are not confined, because the plugin's Sandboxable says that its tool cannot work so"

// startUnderPolicy starts a child under the policy that suits the plugin: one whose tool says that it cannot work in a sandbox is not
// confined in files. That shows when it is loaded. If it was not known before, the plugin is loaded twice, the first time confined.
func (s *supervisor) startUnderPolicy(ctx context.Context, spec Spec) (*child, error) {
	s.mu.Lock()
	free, again := s.known && needsFreeFiles(spec, s.exports), s.loaded
	s.mu.Unlock()
	if again && spec.Verify != nil {
		if err := spec.Verify(); err != nil {
			return nil, &Error{Plugin: spec.Name, Kind: KindLoad, Err: err}
		}
	}
	c, err := startChild(ctx, s.opts, withFreeFiles(spec, free), s.log)
	if err != nil || needsFreeFiles(spec, c.exports) == free || spec.Sandbox == nil {
		return reported(c, free && spec.Sandbox != nil), err
	}
	free = !free
	c.stop()
	c, err = startChild(ctx, s.opts, withFreeFiles(spec, free), s.log)
	return reported(c, free), err
}

// needsFreeFiles reports whether a plugin's tool cannot work in a sandbox, and need not.
func needsFreeFiles(spec Spec, e shared.Exports) bool {
	return spec.Unconfined && e.Tool != nil && !e.Tool.Sandboxable
}

// withFreeFiles is the spec of a plugin whose files are not confined, if so.
func withFreeFiles(spec Spec, free bool) Spec {
	if free && spec.Sandbox != nil {
		p := spec.Sandbox.WithoutFiles()
		spec.Sandbox = &p
	}
	return spec
}

// reported adds what is not confined to the child's report.
func reported(c *child, free bool) *child {
	if c != nil && free && c.exports.Sandbox != nil {
		report := *c.exports.Sandbox
		report.Uncovered = append([]string{notSandboxable}, report.Uncovered...)
		c.exports.Sandbox = &report
	}
	return c
}
