package host

import (
	"context"

	"github.com/idelchi/aura/shared"
)

// notSandboxable is told of a child whose files are not confined.
const notSandboxable = "files are not confined, because the plugin's Sandboxable says that its tool cannot work so"

// startSuited starts a child under the policy that suits the plugin: one whose tool says that it cannot work in a sandbox is not
// confined in files. That shows when it is loaded. If it was not known before, the plugin is loaded twice, the first time confined.
func (s *supervisor) startSuited(ctx context.Context, spec Spec) (*child, error) {
	s.mu.Lock()
	free, again := s.known && unfit(spec, s.exports), s.loaded
	s.mu.Unlock()
	if again && spec.Verify != nil {
		if err := spec.Verify(); err != nil {
			return nil, &Error{Plugin: spec.Name, Kind: KindLoad, Err: err}
		}
	}
	c, err := startChild(ctx, s.opts, freed(spec, free), s.log)
	if err != nil || unfit(spec, c.exports) == free || spec.Sandbox == nil {
		return told(c, free && spec.Sandbox != nil), err
	}
	free = !free
	c.stop()
	c, err = startChild(ctx, s.opts, freed(spec, free), s.log)
	return told(c, free), err
}

// unfit reports whether a plugin's tool cannot work in a sandbox, and need not.
func unfit(spec Spec, e shared.Exports) bool {
	return spec.Unconfined && e.Tool != nil && !e.Tool.Sandboxable
}

// freed is the spec of a plugin whose files are not confined, if so.
func freed(spec Spec, free bool) Spec {
	if free && spec.Sandbox != nil {
		p := spec.Sandbox.WithoutFiles()
		spec.Sandbox = &p
	}
	return spec
}

// told notes in the child's report what is not confined.
func told(c *child, free bool) *child {
	if c != nil && free && c.exports.Sandbox != nil {
		report := *c.exports.Sandbox
		report.Uncovered = append([]string{notSandboxable}, report.Uncovered...)
		c.exports.Sandbox = &report
	}
	return c
}
