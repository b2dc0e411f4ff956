package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// Kind is what runs under a policy. The kinds differ in what they need.
type Kind string

// The kinds.
const (
	// KindPlugin is a plugin's child: it has the network and starts no programs.
	KindPlugin Kind = "plugin"
	// KindFiles is a built-in tool that works on files and needs nothing else.
	KindFiles Kind = "files"
	// KindShell is a tool that runs command lines, with the caches that builds need.
	KindShell Kind = "shell"
)

// Place is where a process runs. All paths are absolute; empty ones are left out.
type Place struct {
	Workdir string
	Home    string
	// DataDir is the plugin's own, and Output is where long output of a tool goes. Both are made, and are writable wherever they
	// lie.
	DataDir, Output string
	// Temp is the directory for temporary files; empty means /tmp. Private takes its place if it holds the home directory or the whole
	// system; see PrivateTemp. Writable is what else can be written by default, unless it holds as much.
	Temp, Private string
	Writable      []string
	// Own is what the process needs to run, such as its executable; see Prefix for interpreters.
	Own []string
	// Path is where programs are looked for, and Caches are directories that builds write beside the usual ones. Only
	// KindShell has them.
	Path   []string
	Caches []string
	// Hidden is out of reach wherever it lies, such as the directory of aura's own sockets.
	Hidden []string
	// Settings are directories beside .aura in the working directory that aura takes its settings and plugins from. They are
	// protected likewise.
	Settings []string
	// EnvFiles are the files that variables are taken from, whether they exist or not. They are protected too.
	EnvFiles []string
	// Git is what GitPaths returns for this place; nil means that it is asked.
	Git *Repositories
	// Programs are those that run outside of the sandbox, such as aura itself. They are protected with all that lies beside them.
	Programs []string
	// Sources are the directories that plugins are loaded from, wherever they lie. They are protected too.
	Sources []string
}

// system is what programs need of the machine: programs, libraries, certificates, time zones, and how names are resolved.
var system = []string{
	"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/opt", "/nix/store", "/gnu/store", "/snap",
	"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload",
	"/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/ca-certificates.conf", "/etc/crypto-policies",
	"/etc/localtime", "/etc/timezone", "/etc/locale.alias", "/etc/locale.conf",
	"/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services",
	"/etc/protocols", "/etc/networks", "/etc/passwd", "/etc/group", "/etc/mime.types", "/etc/os-release", "/etc/debian_version",
	"/etc/magic", "/etc/terminfo", "/etc/inputrc", "/etc/bash.bashrc", "/etc/profile", "/etc/profile.d", "/etc/gitconfig",
	"/etc/python3", "/etc/java", "/etc/fonts", "/etc/perl", "/etc/lsb-release", "/etc/manpath.config",
	"/sys/devices/system/cpu",
}

// settingsName is the directory that aura takes its settings and plugins from, in a working directory and in a home directory.
const settingsName = ".aura"

// The bounds of each process. A build takes more than a tool that edits files.
const (
	shellMemory    = 8 << 30
	filesMemory    = 1 << 30
	shellProcesses = 4096
	otherProcesses = 512
)

// Default is the policy where no settings change it.
func Default(at Place, kind Kind) Policy {
	trees := slices.Concat(at.work(), at.temporary(at.temp()), at.private())
	p := Policy{
		ReadOnly:  at.aroundHome(system),
		ReadWrite: append(append(trees, present(at.DataDir, at.Output)...), at.temporary(at.Writable...)...),
		Make:      present(at.DataDir, at.Output),
		Inner:     present(at.DataDir, at.Output),
		Own:       present(at.Own...),
		Hidden:    present(at.Hidden...),
		Network:   kind != KindFiles,
		Exec:      kind == KindShell,
		Limits:    Limits{Processes: otherProcesses},
	}
	p.Protected, p.Named, p.Exposed = at.protected()
	switch kind {
	case KindPlugin:
		// The manifest says how much memory a plugin has.
	case KindFiles:
		p.Limits.MemoryBytes = filesMemory
	case KindShell:
		p.Limits = Limits{MemoryBytes: shellMemory, Processes: shellProcesses}
		p.ReadOnly = append(p.ReadOnly, at.programs()...)
		p.ReadWrite = append(append(p.ReadWrite, below(at.Home, caches)...), present(at.Caches...)...)
		p.Make = append(p.Make, at.filled()...)
	}
	p.grantTemp(at)
	p.hideSecrets(at)
	return p
}

// aroundHome is the trees without the home directory, should it lie in one of them, as that of an account for a service may.
func (at Place) aroundHome(trees []string) []string {
	if at.Home == "" {
		return slices.Clone(trees)
	}
	var out []string
	home := resolve(at.Home)
	for _, tree := range trees {
		dir := resolve(tree)
		if !within(dir, home) {
			out = append(out, tree)
			continue
		}
		for ; dir != home; dir = towards(dir, home) {
			// What cannot be listed is not granted.
			entries, _ := os.ReadDir(dir)
			for _, e := range entries {
				if path := filepath.Join(dir, e.Name()); !within(path, home) {
					out = append(out, path)
				}
			}
		}
	}
	return out
}

// towards is the directory right below one, on the way to another that is inside of it.
func towards(dir, path string) string {
	for filepath.Dir(path) != dir {
		path = filepath.Dir(path)
	}
	return path
}

// hideSecrets hides what the policy would grant of them.
func (p *Policy) hideSecrets(at Place) {
	if at.Home == "" {
		return
	}
	// Few of the paths have anything to do with the home directory.
	near := slices.DeleteFunc(slices.Concat(p.ReadWrite, p.ReadOnly, p.Own), func(path string) bool {
		return !within(path, at.Home) && !within(at.Home, path)
	})
	for _, secret := range below(at.Home, secrets()) {
		if covering(near, secret) != "" && !slices.Contains(p.Hidden, secret) {
			p.Hidden = append(p.Hidden, secret)
		}
	}
}

// protected is what stays read-only, in the order in which it is found, and what would if the working directory were elsewhere.
// Named are those of it that are never made.
func (at Place) protected() (kept, named, exposed []string) {
	named = append(below(at.Workdir, []string{settingsName}), present(at.Settings...)...)
	named = append(named, present(at.EnvFiles...)...)
	git := at.Git
	if git == nil {
		git = GitPaths(at.Workdir, at.Home)
	}
	named = append(named, git.Files...)
	workdir := resolve(at.Workdir)
	for _, path := range slices.Concat(git.Paths, named, present(at.Sources...), at.programDirs()) {
		switch {
		case at.Workdir != "" && within(resolve(path), workdir):
			exposed = append(exposed, path)
		case !slices.Contains(kept, path):
			kept = append(kept, path)
		}
	}
	return kept, named, slices.Compact(exposed)
}

// programDirs are the directories of aura's own programs. Where one holds what must be writable, the programs alone are meant.
func (at Place) programDirs() []string {
	var out []string
	for _, program := range present(at.Programs...) {
		program = resolve(program)
		dir := filepath.Dir(program)
		if slices.ContainsFunc(append(present(at.Workdir, at.Temp, "/tmp"), present(at.Writable...)...), func(path string) bool {
			return within(dir, resolve(path))
		}) {
			dir = program
		}
		out = append(out, dir)
	}
	return out
}

func present(paths ...string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !filepath.IsAbs(path) })
}

func below(root string, paths []string) []string {
	if root == "" {
		return nil
	}
	out := make([]string, 0, len(paths))
	for _, path := range paths {
		out = append(out, filepath.Join(root, filepath.FromSlash(path)))
	}
	return out
}
