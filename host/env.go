package host

import (
	"maps"
	"runtime"
	"slices"
	"sort"
	"strings"
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
	case s.Guest != nil:
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
