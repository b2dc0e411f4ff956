package host

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"sort"
	"strings"

	"github.com/idelchi/aura/internal/base/telemetry"
)

// grant returns the part of the environment that a plugin may see: the variables listed in names, or all if names contains "*".
// If a variable occurs more than once, the last entry wins. The result is sorted.
func grant(environ []string, task map[string]string, names []string) []string {
	all := make(map[string]string, len(environ))
	for _, kv := range environ {
		if k, v, ok := strings.Cut(kv, "="); ok && k != "" {
			all[k] = v
		}
	}
	maps.Copy(all, task)
	out := []string{}
	for k, v := range all {
		if granted(names, k) || runtimeNeeds(k) {
			out = append(out, k+"="+v)
		}
	}
	sort.Strings(out)
	return out
}

// grant returns the variables that a list of names grants.
func (a *Around) grant(names []string) []string { return grant(a.Environ, a.TaskEnv, names) }

// callEnv returns the variables that a call sets: those of the task, and the position of the call in a trace. Concurrent calls share a
// child's environment: each may see the position of another, in the same trace.
func (o *Options) callEnv(ctx context.Context, spec Spec) map[string]string {
	out := grantTask(o.around(spec).TaskEnv, spec.variables())
	for _, entry := range telemetry.Environ(ctx) {
		name, value, _ := strings.Cut(entry, "=")
		if !granted(spec.variables(), name) {
			continue
		}
		if out == nil {
			out = make(map[string]string)
		}
		out[name] = value
	}
	return out
}

// grantTask returns the task's variables that the plugin may see.
func grantTask(task map[string]string, names []string) map[string]string {
	var out map[string]string
	for k, v := range task {
		if !granted(names, k) {
			continue
		}
		if out == nil {
			out = make(map[string]string)
		}
		out[k] = v
	}
	return out
}

// variables returns the names of the variables that the plugin may see: those that its manifest lists, PATH in unsafe mode, and
// what programs usually need for a guest. Without PATH, a program can only be started by its full path.
func (s Spec) variables() []string {
	switch {
	case s.Guest != nil && !s.asProgram:
		return slices.Concat(s.Manifest.Env, guestVariables)
	case s.Unsafe:
		return slices.Concat(s.Manifest.Env, []string{"PATH"})
	default:
		return s.Manifest.Env
	}
}

// guestVariables lists the variables that every guest sees. They say where programs and files are located and how text is written.
var guestVariables = []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"}

func granted(names []string, name string) bool {
	for _, n := range names {
		if n == "*" || n == name {
			return true
		}
	}
	return false
}

// runtimeNeeds reports whether a process cannot start without the variable. Only Windows has such variables.
func runtimeNeeds(name string) bool {
	return runtime.GOOS == "windows" && strings.EqualFold(name, "SystemRoot")
}
