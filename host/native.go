package host

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/idelchi/aura/shared"
)

// Native is the program that is compiled from a plugin in Go.
type Native struct {
	// Key identifies the program; it changes with everything that goes into it.
	Key string
	// Only is set if the plugin is never interpreted.
	Only bool
	// First is set if the plugin waits for its build, and is interpreted only if that fails.
	First bool
	// State is what the running plugin would lose if it were replaced by its program; empty means nothing.
	State string
	// Program is the absolute path of the program, which is alone in its directory.
	Program string
	// Ready reports whether the program exists, and Building whether another process builds it. Failed returns why it cannot be built, if that
	// is known.
	Ready, Building func() bool
	Failed          func() error
	// Build builds the program, unless it exists. It calls waiting if it must wait for other builds.
	Build func(ctx context.Context, waiting func()) error
	// Ahead is like Build, but the build goes on after ctx and after the end of aura.
	Ahead func(ctx context.Context) error
}

// BuildState is the state of a plugin's program.
type BuildState string

// The states of a program.
const (
	BuildNone    BuildState = ""
	BuildRunning BuildState = "building"
	BuildReady   BuildState = "ready"
	BuildFailed  BuildState = "failed"
	// BuildPending is a program that nobody has built yet.
	BuildPending BuildState = "not_built"
)

// Build describes the program of a plugin.
type Build struct {
	State BuildState `json:"state"`
	// Reason is why the build failed, or why the program is not used yet.
	Reason string `json:"reason,omitempty"`
}

// The runtimes of a plugin in Go.
const (
	RuntimeInterpreted = "interpreted"
	RuntimeNative      = "native"
)

// Describe returns the state of the program on disk.
func (n *Native) Describe() Build {
	if n == nil {
		return Build{}
	}
	if n.Ready() {
		return Build{State: BuildReady}
	}
	if err := n.Failed(); err != nil {
		return Build{State: BuildFailed, Reason: err.Error()}
	}
	if n.Building() {
		return Build{State: BuildRunning}
	}
	return Build{State: BuildPending}
}

// same reports whether two specs have the same program.
func (n *Native) same(other *Native) bool {
	if n == nil || other == nil {
		return n == other
	}
	return n.Key == other.Key && n.Only == other.Only && n.State == other.State && n.Program == other.Program
}

// compiled returns the spec with which the plugin runs as its program.
func (s Spec) compiled() Spec {
	s.Guest = &shared.Guest{Program: s.Native.Program}
	s.asProgram = true
	return s
}

// now returns the spec with which the plugin runs if it is started now.
func (s Spec) now() Spec {
	if s.Native != nil && s.Native.Ready() {
		return s.compiled()
	}
	return s
}

// sameExports reports whether two children of a plugin can be called in the same way.
func sameExports(a, b shared.Exports) bool {
	plain := func(e shared.Exports) string {
		// Empty and absent lists are the same.
		text, err := json.Marshal([]any{
			append(e.Hooks[:0:0], e.Hooks...), len(e.Tools), e.Tools, len(e.Commands), e.SystemPrompt, append([]string{}, e.Listens...),
		})
		if err != nil {
			return err.Error()
		}
		return string(text)
	}
	names := func(e shared.Exports) []string {
		var out []string
		for _, c := range e.Commands {
			out = append(out, c.Name)
		}
		return out
	}
	return plain(a) == plain(b) && slices.Equal(names(a), names(b))
}

// programDir returns the directory of the plugin's program, or an empty path.
func (s Spec) programDir() string {
	if !s.asProgram {
		return ""
	}
	return filepath.Dir(s.Native.Program)
}
