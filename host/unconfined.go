package host

import (
	"context"

	"github.com/idelchi/aura/shared"
)

// notSandboxable is the line in a child's report that says that its file access is not confined.
const notSandboxable = "files are not confined, because the plugin's Sandboxable says that its tool cannot work so"

// startUnderPolicy starts a child under the policy that suits the plugin: the file access of a tool that cannot work in a
// sandbox is not confined. That is only known after loading. If it was not known before, the plugin is loaded twice, confined
// the first time.
func (s *supervisor) startUnderPolicy(ctx context.Context, spec Spec) (*child, error) {
	spec, err := s.native.resolve(ctx, spec)
	if err != nil {
		return nil, err
	}
	if err := spec.consent(); err != nil {
		return nil, &Error{Plugin: spec.Name, Kind: KindLoad, Err: err}
	}
	s.life.mu.Lock()
	free, again := s.code.known && needsFreeFiles(spec, s.code.exports), s.code.loaded
	s.life.mu.Unlock()
	if again && spec.Verify != nil {
		if err := spec.Verify(); err != nil {
			return nil, &Error{Plugin: spec.Name, Kind: KindLoad, Err: err}
		}
	}
	c, err := s.startChild(ctx, withFreeFiles(spec, free))
	if err != nil || needsFreeFiles(spec, c.exports) == free || spec.Sandbox == nil {
		return s.announced(reported(c, free && spec.Sandbox != nil)), err
	}
	free = !free
	c.stop()
	c, err = s.startChild(ctx, withFreeFiles(spec, free))
	return s.announced(reported(c, free)), err
}

// needsFreeFiles reports whether a plugin's tool cannot work in a sandbox and is permitted to run without one.
func needsFreeFiles(spec Spec, e shared.Exports) bool {
	return spec.Unconfined && !e.Sandboxable()
}

// withFreeFiles returns the spec with unconfined file access if free is set.
func withFreeFiles(spec Spec, free bool) Spec {
	if free && spec.Sandbox != nil {
		p := spec.Sandbox.WithoutFiles()
		spec.Sandbox = &p
	}
	return spec
}

// reported adds to the child's report that its file access is not confined, if free is set.
func reported(c *child, free bool) *child {
	if c != nil && free && c.exports.Sandbox != nil {
		report := *c.exports.Sandbox
		report.Uncovered = append([]string{notSandboxable}, report.Uncovered...)
		c.exports.Sandbox = &report
	}
	return c
}
