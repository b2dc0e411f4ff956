package manifest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/pluginsource"
)

// Asks are what a plugin asks for beyond running in the sandbox with aura's defaults, if its files show it. What is not
// among them is not granted, whatever the plugin says when it runs. The lists are sorted and never nil.
type Asks struct {
	// Unconfined means that Sandboxable may return false: the plugin's files are not confined then.
	Unconfined bool `json:"unconfined"`
	// Env are the variables that say more than how to print text; * is all of them.
	Env []string `json:"env"`
	// Unsafe are the imports that need unsafe mode, those of vendored packages included.
	Unsafe []string `json:"unsafe_imports"`
	// Network means that the plugin, or a package that it vendors, imports what can open connections.
	Network bool `json:"network"`
	// Memory is the limit in bytes if it is above the default, and else 0.
	Memory int64 `json:"memory_bytes"`
}

// Ask finds what a plugin asks for. It reads the plugin's files and runs nothing.
func Ask(p Plugin) Asks {
	a := Asks{Env: []string{}, Unsafe: []string{}, Unconfined: pluginsource.MayLeaveSandbox(p.Dir)}
	for _, name := range p.Manifest.Env {
		if !harmless(name) {
			a.Env = append(a.Env, name)
		}
	}
	if p.Manifest.Limits.Memory > DefaultMemory {
		a.Memory = p.Manifest.Limits.Memory
	}
	// Most files import nothing notable, so only the others are parsed.
	for _, path := range pluginsource.Imports(p.Dir, mentions) {
		if !notable(path) {
			continue
		}
		if pluginsource.IsRestricted(path) {
			a.Unsafe = append(a.Unsafe, path)
		}
		// Whoever makes system calls needs no package to open a socket.
		a.Network = true
	}
	slices.Sort(a.Env)
	a.Env = slices.Compact(a.Env)
	return a
}

// Empty reports whether nothing is asked for.
func (a Asks) Empty() bool {
	return !a.Unconfined && !a.Network && a.Memory == 0 && len(a.Env)+len(a.Unsafe) == 0
}

// Beyond is what is asked for that was not asked for before.
func (a Asks) Beyond(before Asks) Asks {
	minus := func(a, b []string) []string {
		return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) || slices.Contains(b, "*") && s != "*" })
	}
	out := Asks{
		Unconfined: a.Unconfined && !before.Unconfined, Network: a.Network && !before.Network,
		Env: minus(a.Env, before.Env), Unsafe: minus(a.Unsafe, before.Unsafe),
	}
	if a.Memory > before.Memory {
		out.Memory = a.Memory
	}
	return out
}

// List names what is asked for, a phrase each.
func (a Asks) List() []string {
	out := []string{}
	if a.Unconfined {
		out = append(out, "no sandbox for its files (Sandboxable)")
	}
	switch {
	case slices.Contains(a.Env, "*"):
		out = append(out, "all environment variables")
	case len(a.Env) > 0:
		out = append(out, "variables "+strings.Join(a.Env, ", "))
	}
	if a.Network {
		out = append(out, "the network")
	}
	if len(a.Unsafe) > 0 {
		out = append(out, "unsafe mode for "+strings.Join(a.Unsafe, ", "))
	}
	if a.Memory > 0 {
		out = append(out, fmt.Sprintf("memory %d MiB", a.Memory>>20))
	}
	return out
}

// harmlessVariables are the variables that every plugin may read without anybody being asked, beside those that begin with LC_.
var harmlessVariables = []string{
	"COLORTERM", "COLUMNS", "HOME", "LANG", "LANGUAGE", "LINES", "LOGNAME", "NO_COLOR", "PATH", "PWD", "SHELL", "TEMP", "TERM", "TMP", "TMPDIR", "TZ", "USER",
}

func harmless(name string) bool {
	return slices.Contains(harmlessVariables, name) || strings.HasPrefix(name, "LC_")
}

// connecting are packages outside of net that open connections.
var connecting = []string{"crypto/tls", "log/syslog", "expvar"}

// offline are packages of net that open none.
var offline = []string{"net/url", "net/netip", "net/mail"}

// notable reports whether an import matters to whoever grants something.
func notable(path string) bool {
	switch {
	case pluginsource.IsRestricted(path), slices.Contains(connecting, path), path == "net":
		return true
	default:
		return strings.HasPrefix(path, "net/") && !slices.Contains(offline, path)
	}
}

// mentions reports whether a source may import a notable package.
func mentions(source []byte) bool {
	for _, path := range slices.Concat(pluginsource.Restricted(), connecting, []string{"net"}) {
		for _, quote := range []string{`"`, "`"} {
			if bytes.Contains(source, []byte(quote+path)) {
				return true
			}
		}
	}
	return false
}
