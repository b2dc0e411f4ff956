package setup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/prompt"
	"github.com/idelchi/aura/internal/agent/toolhost"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/audit"
	"github.com/idelchi/aura/internal/system/network"
	"github.com/idelchi/aura/internal/system/planted"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// Confinement is what the kernel confines a role to. It is a value; the zero value confines nothing.
type Confinement struct {
	// requested is whether the settings request a sandbox. enabled is whether the system enforces it.
	requested, enabled bool
	// required is set if nothing may run without a sandbox.
	required bool
	// reading is set if the commands of Bash may only read.
	reading bool
	// env holds the names of variables that command lines see in addition to the usual ones.
	env      []string
	settings sandbox.Config
	place    sandbox.Place
	// expand replaces presets in rules of the network by their hosts.
	expand func(network.Rules) network.Rules
	// aar is the user's directory of Aar; empty if there is none.
	aar string
	// skills holds the directories of the user's skills, which the built-in tools can read.
	skills []string
	// shown is a directory of aura's state that a command line can read; empty if there is none.
	shown string
	// grants keeps the granted paths open while aura runs.
	grants *sandbox.Grants
	// files caches the policy of the file tools when it is needed more than once; nil if it was not computed.
	files *sandbox.Policy
	// tell receives sentences for the user about what is not covered; nil drops them.
	tell func([]string)
	// found receives sentences about what confined code left where other programs run it, and made the paths; nil drops them.
	found, made func([]string)
	// exposed is called after a program ran that could write protected paths; it may be nil.
	exposed func()
	// spares holds the processes that wait for the next call; nil if there is no next call.
	spares *sandbox.Spares
	// quarantine is where what confined code left is moved to.
	quarantine planted.Store
	// missing returns sentences about paths that settings grant and that do not exist.
	missing func() []string
	// traffic returns the traffic of a program; it may be nil.
	traffic func(caller) *sandbox.Traffic
	// programs holds the traffic of programs that are no tools of aura; it may be nil.
	programs *Traffic
	// watch returns the watch of what confined code leaves.
	watch func() *planted.Watch
}

// NewConfinement returns the confinement of tools and plugins with the given settings. output is the output directory and may
// be empty.
func NewConfinement(c *config.Config, f config.Features, output string) Confinement {
	s := f.Sandbox
	out := Confinement{
		requested: s.Enabled, enabled: s.Enabled && sandbox.Support().Enabled, required: s.Required, reading: f.Tools.Bash.ReadOnly, env: s.Env,
		settings: sandbox.Config{
			Restrictions: sandbox.Paths(s.Restrictions), Extra: sandbox.Paths(s.Extra), Network: hostRules(c, s.Network), UnixSockets: s.UnixSockets,
			Hidden: hiddenRules(c, s),
		},
		place:  sandbox.Place{Workdir: c.Workdir, Temp: os.TempDir(), Private: sandbox.PrivateTemp(c.State.Temp()), Hidden: hiddenDirs(c), Output: output},
		expand: func(r network.Rules) network.Rules { return expandPresets(c, r) },
		grants: sandbox.GrantsIn(c.Workdir), aar: c.Aar, skills: userSkillDirs(c), quarantine: Quarantine(c),
	}
	if out.enabled && c.State.Root != "" {
		// A directory that does not exist cannot be hidden, and confined code could create it, with a forged consent in it. If
		// aura cannot create it here, confined code cannot either.
		_ = os.MkdirAll(c.State.Root, 0o700)
	}
	out.place.Copies = sandbox.PrivateCopies(c.State.GitCopies())
	if usual := "/tmp"; out.place.Temp != usual {
		out.place.Writable = append(out.place.Writable, usual)
	}
	for _, home := range c.Homes {
		out.place.Settings = append(out.place.Settings, home.Dir)
	}
	out.place.Settings = append(out.place.Settings, c.AarExtensions()...)
	out.place.Sources, out.place.EnvFiles = pluginDirs(c), slices.Concat(c.EnvFiles, s.EnvFiles)
	out.place.Trusted = c.Covered
	if root := filepath.Dir(c.Project); root != c.Workdir && filepath.Base(c.Project) == config.DirName {
		out.place.Project = root
	}
	if home, err := os.UserHomeDir(); err == nil {
		out.place.Home = home
	}
	out.place.Git = sandbox.GitPaths(c.Workdir, out.place.Home, c.Inherited...)
	if self, err := os.Executable(); err == nil {
		tools := sandbox.Beside(self, toolhost.Name)
		out.place.Own = append(out.place.Own, self, tools)
		// The programs that aura looks for beside itself are protected even if they do not exist.
		out.place.Programs = append(out.place.Programs, self, tools, sandbox.Beside(self, hostName))
	}
	// The programs are opened before any confined process runs, even if they are not needed.
	if program, err := toolhost.Program(); err == nil {
		out.grants.UseHelper(program.Start)
	}
	if program, err := hostProgram(c); err == nil {
		out.place.Programs = append(out.place.Programs, program.path)
	}
	out.place.Links = &sandbox.Links{}
	if out.enabled {
		out.place.Links = out.place.FindLinks()
	}
	path, _ := config.Lookup(c.Inherited, "PATH")
	out.place.Path = filepath.SplitList(path)
	out.place.Caches = cachesIn(c.Inherited)
	if s.Caches != config.SharedCaches {
		out.place.Store = c.State.Layers()
	}
	out.missing = func() []string { return out.missingGrants(c, s) }
	out.watch = sync.OnceValue(out.newWatch)
	return out
}

// hiddenDirs returns the directories that no confined process sees, wherever they are located: the sockets of sessions, aura's
// state, and the file of the audit log. A call still sees the directory to which it writes its output.
func hiddenDirs(c *config.Config) []string {
	dirs := RuntimeDirs(c)
	if c.State.Root != "" {
		dirs = append(dirs, c.State.Root)
	}
	if file := audit.Path(); file != "" {
		dirs = append(dirs, file)
	}
	return dirs
}

// pluginDirs returns the directories that plugins and extensions are loaded from.
func pluginDirs(c *config.Config) []string {
	var out []string
	for _, root := range c.Roots() {
		out = append(out, root.Dir)
	}
	return out
}

// cachesIn returns the directories that the environment names for the output of builds. The other directories in the trees of
// Go and Cargo hold programs, which may later run outside the sandbox.
func cachesIn(environ []string) []string {
	var out []string
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOTMPDIR", "CARGO_TARGET_DIR", "npm_config_cache", "XDG_CACHE_HOME"} {
		if dir, ok := config.Lookup(environ, name); ok {
			out = append(out, dir)
		}
	}
	trees, _ := config.Lookup(environ, "GOPATH")
	for _, tree := range filepath.SplitList(trees) {
		out = append(out, filepath.Join(tree, "pkg"))
	}
	if tree, ok := config.Lookup(environ, "CARGO_HOME"); ok && tree != "" {
		out = append(out, filepath.Join(tree, "registry"), filepath.Join(tree, "git"))
	}
	return out
}

// Policy returns the policy of one kind of process.
func (c Confinement) Policy(kind sandbox.Kind) sandbox.Policy {
	if kind == sandbox.KindFiles || kind == sandbox.KindShell {
		c = c.extended(sandbox.Paths{ReadOnly: c.skills})
	}
	return sandbox.Compose(c.place, kind, c.settings)
}

// commands returns the policy of Bash.
func (c Confinement) commands() sandbox.Policy {
	p := c.Policy(sandbox.KindShell)
	if c.reading {
		p = p.Reading(c.place)
	}
	return p
}

// pages returns the policy of tools that fetch from the network: that of Bash for hosts, and no files.
func (c Confinement) pages() sandbox.Policy {
	return sandbox.Compose(c.place, sandbox.KindWeb, sandbox.Config{Network: c.settings.Network})
}

// unenforced says why nothing is confined.
func (c Confinement) unenforced() string {
	if c.requested {
		return sandbox.Support().Reason()
	}
	return "the sandbox is turned off"
}

// Plugin returns the policy of a plugin; nil if the plugin is not confined. A plugin may write to its own data directory. If
// nothing confines the plugin, Plugin creates the directory; otherwise it is created together with the grants.
func (c Confinement) Plugin(e Entry) *sandbox.Policy {
	if !c.enabled {
		if dir := e.DataDir(); dir != "" {
			// A plugin that needs a directory that cannot be created will report that.
			_ = os.MkdirAll(dir, 0o700)
		}
		return nil
	}
	c.place.DataDir, c.place.Output = e.DataDir(), ""
	kind := sandbox.KindPlugin
	if e.Python() {
		kind = sandbox.KindGuest
		c.guestPlace()
	}
	if e.Manifest.Toolchains {
		kind = sandbox.KindToolchain
	}
	p := c.Policy(kind)
	p.Exec = p.Exec || e.Python()
	c.limitHosts(&p, e.Asks())
	if e.guest != nil {
		e.guest.grant(&p)
	}
	p = p.With(c.trafficOf(pluginProgram(e)))
	return &p
}

// trafficOf returns the traffic of a program; nil if nobody observes it.
func (c Confinement) trafficOf(p caller) *sandbox.Traffic {
	if c.traffic == nil {
		return nil
	}
	return c.traffic(p)
}

// Noting returns the confinement with functions as in Source: Made and Exposed. found receives sentences about what confined code left.
func (c Confinement) Noting(found, made func([]string), exposed func()) Confinement {
	c.found, c.made, c.exposed = found, made, exposed
	return c
}

// surveyed returns the confinement for policies that are made now, one after the other.
func (c Confinement) surveyed() Confinement {
	if c.enabled {
		c.place.Survey = c.place.Look()
	}
	return c
}

// prepared returns the confinement with the policy of the file tools computed.
func (c Confinement) prepared() Confinement {
	if c.enabled {
		files := c.grants.Open(c.Policy(sandbox.KindFiles))
		c.files = &files
	}
	return c
}

// apart returns the policy for running a call of a plugin's tool in a separate process. It returns nil if the plugin's own
// child process is already confined as strictly.
func (c Confinement) apart(spec host.Spec, wanted *sandbox.Policy, sandboxable bool) *sandbox.Policy {
	switch have := spec.Sandbox; {
	case wanted == nil:
		return nil
	case !sandboxable:
		// Then the files of neither the child nor a separate process are confined, but everything else is.
		free := wanted.WithoutFiles()
		if have != nil && !free.Stricter(have.WithoutFiles()) {
			return nil
		}
		return &free
	case have == nil:
		return wanted
	case !wanted.Stricter(*have):
		return nil
	default:
		return wanted
	}
}

// Display returns the description of the sandbox for prompts.
func (c Confinement) Display() prompt.Sandbox {
	out := prompt.Sandbox{Requested: c.requested, Enabled: c.enabled, Display: "no sandbox: tools reach all that the user does"}
	if !c.enabled {
		return out
	}
	p := c.commands()
	out.Display = fmt.Sprintf("tools are confined by the kernel\nwritable: %s\nread-only inside of these: %s\nnetwork: %s\nnothing else of the home directory can be read",
		strings.Join(p.ReadWrite, ", "), strings.Join(p.Protected, ", "), describeNetwork(p))
	return out
}

// Enabled reports whether the system enforces the sandbox.
func (c Confinement) Enabled() bool { return c.enabled }

// Requested reports whether the settings request a sandbox.
func (c Confinement) Requested() bool { return c.requested }

// Notices returns what the user should know about the sandbox: what it does not prevent, or why it is not enforced.
func (c Confinement) Notices() []string {
	switch {
	case c.enabled:
		return UncoveredNotices(slices.Concat(c.warnings(), c.hostNotices()))
	case c.requested:
		return []string{fmt.Sprintf("the sandbox is not enforced on this system: %s; tools and plugins reach all that you do "+
			"(set sandbox: {enabled: false} in config/sandbox/sandbox.yaml to accept that silently)", sandbox.Support().Reason())}
	default:
		return nil
	}
}

// Wide reports whether the working directory is the whole system, or contains the home directory.
func (c Confinement) Wide() bool { return c.place.Wide() }

// warnings returns what makes the sandbox narrower than its settings say.
func (c Confinement) warnings() []string { return slices.Concat(c.place.Warnings(), c.missing()) }

// UncoveredNotices returns notices about what the sandbox does not cover.
func UncoveredNotices(sentences []string) []string {
	var out []string
	for _, sentence := range sentences {
		out = append(out, "sandbox: "+sentence)
	}
	return out
}

// Describe describes the confinement.
func (c Confinement) Describe() string {
	lines := []string{"requested: " + plaintext.OnOff(c.requested), "enforced: " + plaintext.OnOff(c.enabled)}
	if c.requested && !c.enabled {
		lines = append(lines, "reason: "+sandbox.Support().Reason())
	}
	if c.enabled {
		lines = append(lines, c.Display().Display)
		if absent := c.Policy(sandbox.KindShell).Absent(); len(absent) > 0 {
			lines = append(lines, "not protected if somebody makes them: "+strings.Join(absent, ", "))
		}
		for _, warning := range c.warnings() {
			lines = append(lines, "warning: "+warning)
		}
	}
	return strings.Join(lines, "\n")
}

// Narrower is the name of the rows about settings that grant nothing, and about what is protected less than usual or reached less.
const Narrower = "narrower than usual"

// SandboxStatus tests what this machine enforces and returns the result.
func SandboxStatus(ctx context.Context, c *config.Config) (sandbox.Status, error) {
	program, err := toolhost.Program()
	if err != nil {
		return sandbox.Status{}, err
	}
	confined := NewConfinement(c, c.Features, "")
	status := sandbox.Probe(ctx, program.Start, confined.grants.Open(confined.Policy(sandbox.KindShell)), confined.grants.Dir())
	for _, warning := range confined.warnings() {
		status.Rows = append(status.Rows, sandbox.Row{Name: Narrower, Enforced: status.Enabled, Detail: warning})
	}
	return status, ctx.Err()
}
