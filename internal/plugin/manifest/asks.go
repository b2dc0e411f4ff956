package manifest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/plugin/pluginsource"
	"github.com/idelchi/aura/internal/system/network"
)

// Asks lists what a plugin asks for, according to its files, beyond running in the sandbox with aura's defaults. Nothing else is
// granted, whatever the plugin requests at run time. The slices are sorted and never nil.
type Asks struct {
	// Unconfined means that Sandboxable may return false. The plugin's file access is then not confined.
	Unconfined bool `json:"unconfined"`
	// Env holds the environment variables that may reveal more than how to print text. "*" means all variables.
	Env []string `json:"env"`
	// Unsafe holds the imports that need unsafe mode, including those of vendored packages.
	Unsafe []string `json:"unsafe_imports"`
	// Network means that the plugin names hosts, or that it or a package that it vendors imports a package that can open connections.
	Network bool `json:"network"`
	// Hosts holds the hosts that the plugin names. If Network is set, an empty list means every host.
	Hosts []network.Pattern `json:"hosts"`
	// Programs means that the plugin may start programs, which are confined like the plugin itself.
	Programs bool `json:"programs"`
	// Toolchains means that the plugin may read the user's programs and toolchains, and use their caches.
	Toolchains bool `json:"toolchains"`
	// Memory is the memory limit in bytes if it is above the default, and 0 otherwise.
	Memory int64 `json:"memory_bytes"`
	// Commands holds the command lines of the bash: terms in the plugin's condition, which run under the policy of Bash.
	Commands []string `json:"commands"`
	// Servers and Hooks hold the MCP servers and the shell hooks of a portable plugin, with what they run or connect to. They are null for
	// other plugins.
	Servers []string `json:"servers,omitempty"`
	Hooks   []string `json:"shell_hooks,omitempty"`
}

// Ask returns what a plugin asks for. It reads the plugin's files and runs nothing.
func Ask(p Plugin) Asks {
	a := NoAsks()
	if p.Portable() {
		a.askPortable(p)
		return a
	}
	a.Commands = append(a.Commands, p.Manifest.Condition.Commands()...)
	memory := int64(DefaultMemory)
	if p.Python() {
		// What Python code does cannot be seen in its text.
		a.Network, a.Programs, memory = true, true, DefaultExtensionMemory
	} else {
		a.askSource(p.Dir)
	}
	if p.Manifest.Network != nil {
		a.Hosts = append(a.Hosts, p.Manifest.Network...)
		slices.SortFunc(a.Hosts, func(x, y network.Pattern) int { return strings.Compare(x.String(), y.String()) })
		a.Hosts = slices.Compact(a.Hosts)
		a.Network = len(a.Hosts) > 0
	}
	for _, name := range p.Manifest.Env {
		if !harmless(name) {
			a.Env = append(a.Env, name)
		}
	}
	a.Toolchains = p.Manifest.Toolchains
	if p.Manifest.Limits.Memory > memory {
		a.Memory = p.Manifest.Limits.Memory
	}
	for _, list := range []*[]string{&a.Env, &a.Commands} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return a
}

// NoAsks returns the requests of a plugin that asks for nothing.
func NoAsks() Asks {
	return Asks{Env: []string{}, Unsafe: []string{}, Hosts: []network.Pattern{}, Commands: []string{}}
}

// askSource adds what the Go source in a directory asks for.
func (a *Asks) askSource(dir string) {
	a.Unconfined = pluginsource.MayLeaveSandbox(dir)
	// Most files import no notable package, so only the files that may import one are parsed.
	for _, path := range pluginsource.Imports(dir, mentions) {
		if !notable(path) {
			continue
		}
		if pluginsource.IsRestricted(path) {
			a.Unsafe = append(a.Unsafe, path)
		}
		// A plugin that makes system calls needs no package to open a socket.
		a.Network = true
	}
}

// Empty reports whether the plugin asks for nothing.
func (a Asks) Empty() bool {
	return !a.Unconfined && !a.Network && !a.Programs && !a.Toolchains && a.Memory == 0 && len(a.Env)+len(a.Unsafe)+len(a.Commands)+len(a.Servers)+len(a.Hooks) == 0
}

// Beyond returns the requests in a that are not in before.
func (a Asks) Beyond(before Asks) Asks {
	minus := func(a, b []string) []string {
		return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
	}
	out := Asks{
		Unconfined: a.Unconfined && !before.Unconfined, Programs: a.Programs && !before.Programs,
		Toolchains: a.Toolchains && !before.Toolchains,
		Env:        minus(a.Env, before.Env), Unsafe: minus(a.Unsafe, before.Unsafe), Commands: minus(a.Commands, before.Commands),
		Servers: minus(a.Servers, before.Servers), Hooks: minus(a.Hooks, before.Hooks),
	}
	out.Network, out.Hosts = a.hostsBeyond(before)
	if slices.Contains(before.Env, "*") {
		out.Env = []string{}
	}
	if a.Memory > before.Memory {
		out.Memory = a.Memory
	}
	return out
}

// hostsBeyond returns whether a asks for hosts that before does not, and for which.
func (a Asks) hostsBeyond(before Asks) (bool, []network.Pattern) {
	switch {
	case !a.Network || before.Network && len(before.Hosts) == 0:
		return false, []network.Pattern{}
	case len(a.Hosts) == 0:
		return true, []network.Pattern{}
	}
	more := slices.DeleteFunc(slices.Clone(a.Hosts), func(p network.Pattern) bool {
		return slices.ContainsFunc(before.Hosts, func(q network.Pattern) bool { return q.Covers(p) })
	})
	return len(more) > 0, more
}

// List returns one phrase for each request.
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
	switch {
	case a.Network && len(a.Hosts) == 0:
		out = append(out, "every host on the network")
	case a.Network:
		var hosts []string
		for _, p := range a.Hosts {
			hosts = append(hosts, p.String())
		}
		out = append(out, "hosts "+strings.Join(hosts, ", "))
	}
	if a.Programs {
		out = append(out, "starting programs")
	}
	if a.Toolchains {
		out = append(out, "reading toolchains and build caches")
	}
	if len(a.Unsafe) > 0 {
		out = append(out, "unsafe mode for "+strings.Join(a.Unsafe, ", "))
	}
	if a.Memory > 0 {
		out = append(out, fmt.Sprintf("memory %d MiB", a.Memory>>20))
	}
	for _, line := range a.Commands {
		// A line break ends a comment and begins another command, so it is shown.
		out = append(out, "running commands in its condition: "+strings.ReplaceAll(line, "\n", `\n`))
	}
	for _, line := range a.Servers {
		out = append(out, "MCP server "+strings.ReplaceAll(line, "\n", `\n`))
	}
	for _, line := range a.Hooks {
		out = append(out, "shell hook "+strings.ReplaceAll(line, "\n", `\n`))
	}
	return out
}

// harmlessVariables lists the environment variables that every plugin may read without consent, in addition to those that begin
// with LC_.
var harmlessVariables = []string{
	"COLORTERM", "COLUMNS", "HOME", "LANG", "LANGUAGE", "LINES", "LOGNAME", "NO_COLOR", "PATH", "PWD", "SHELL", "TEMP", "TERM", "TMP", "TMPDIR", "TZ", "USER",
}

func harmless(name string) bool {
	return slices.Contains(harmlessVariables, name) || strings.HasPrefix(name, "LC_")
}

// connecting lists packages outside net that open connections.
var connecting = []string{"crypto/tls", "log/syslog", "expvar"}

// offline lists packages below net that open no connections.
var offline = []string{"net/url", "net/netip", "net/mail"}

// notable reports whether an import matters for the consent.
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
