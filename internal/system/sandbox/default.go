package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// Kind says what runs under a policy. Each kind needs different grants.
type Kind string

// The kinds.
const (
	// KindPlugin is a plugin's child process. It has the network and starts no programs.
	KindPlugin Kind = "plugin"
	// KindGuest is the child process of a plugin that runs in another program, such as a Python interpreter. It may start
	// programs.
	KindGuest Kind = "guest"
	// KindToolchain is the child process of a plugin that asks for toolchains. It has what KindPlugin has, and can read the programs
	// and use the caches that KindShell has.
	KindToolchain Kind = "toolchain"
	// KindFiles is a built-in tool that works on files and needs nothing else.
	KindFiles Kind = "files"
	// KindShell is a tool that runs command lines. It has the caches that builds need.
	KindShell Kind = "shell"
	// KindServer is an MCP server. It has what KindShell has, and a directory of its own.
	KindServer Kind = "server"
	// KindWeb is a built-in tool that uses the network and needs no file but those of the system.
	KindWeb Kind = "web"
	// KindBuild is the compiler of plugins. It starts programs and has no network.
	KindBuild Kind = "build"
)

// Place describes where a process runs. All paths are absolute; empty paths are ignored.
type Place struct {
	Workdir string
	Home    string
	// Project is the directory above Workdir that contains the project's home; empty if the home is not above Workdir.
	Project string
	// DataDir is the plugin's own directory. Output is the directory for the long output of a tool. Both are created, and are
	// writable wherever they are located.
	DataDir, Output string
	// Temp is the directory for temporary files; empty means /tmp. Private is mounted over Temp and /tmp, and replaces Temp by name
	// if Temp contains the home directory or the whole system; see PrivateTemp. Writable lists further directories that are writable by default, except those that
	// contain the home directory or the whole system.
	Temp, Private string
	Writable      []string
	// Copies is a directory for private copies of Git's settings; see PrivateCopies. If it is empty, the settings of repositories are read-only.
	Copies string
	// Own lists what the process needs to run, such as its executable; see Prefix for interpreters.
	Own []string
	// Path lists the directories where programs are searched; KindShell, KindToolchain and KindGuest use it. Caches lists directories that builds
	// write in addition to the usual ones; KindShell and KindToolchain use it.
	Path   []string
	Caches []string
	// Store is the directory for private layers of caches; empty means that caches are shared with the user's own programs.
	Store string
	// Hidden lists paths that are always out of reach, such as the directory of aura's own sockets.
	Hidden []string
	// Settings lists directories that aura takes its settings and plugins from, beside .aura in the working directory. They are
	// protected in the same way.
	Settings []string
	// EnvFiles lists the files that variables are taken from, whether they exist or not. They are protected too.
	EnvFiles []string
	// Trusted lists paths without links that aura takes settings, plugins or variables from when it runs in another directory to
	// which the user has agreed. They are protected where they are within reach, whether they exist or not.
	Trusted []string
	// Git is the result of GitPaths for this place; nil means that GitPaths is called.
	Git *Repositories
	// Links is the result of FindLinks for this place; nil means that FindLinks is called.
	Links *Links
	// Survey is the result of Look for this place; nil means that Look is called.
	Survey *Survey
	// Programs lists the programs that run outside of the sandbox, such as aura itself. Their directories are protected.
	Programs []string
	// Sources lists the directories that plugins are loaded from, wherever they are located. They are protected too.
	Sources []string
}

// system lists what programs need of the machine: programs, libraries, certificates, time zones, and the files for resolving
// names.
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

// The limits of each process. A build takes more than a tool that edits files.
const (
	shellMemory    = 8 << 30
	filesMemory    = 1 << 30
	shellProcesses = 4096
	otherProcesses = 512
)

// Default returns the policy that applies without settings.
func Default(at Place, kind Kind) Policy {
	trees := slices.Concat(at.work(), at.temporary(at.temp()), at.private())
	found := at.surveyed()
	p := Policy{
		ReadOnly:  found.system,
		ReadWrite: append(append(trees, present(at.DataDir, at.Output)...), at.temporary(at.Writable...)...),
		Make:      present(at.DataDir, at.Output),
		Inner:     present(at.DataDir, at.Output),
		Own:       present(at.Own...),
		Hidden:    present(at.Hidden...),
		Network:   kind != KindFiles && kind != KindBuild,
		Exec:      kind != KindPlugin && kind != KindToolchain && kind != KindFiles && kind != KindWeb,
		Limits:    Limits{Processes: otherProcesses},
	}
	p.Home = at.Home
	p.Protected, p.Named, p.Exposed, p.Uncovered = found.protected, found.named, found.exposed, found.uncovered
	switch kind {
	case KindPlugin:
		// The plugin's manifest sets the memory limit. In unsafe mode, it starts programs.
		p.GitConfigs, p.copies = found.configs, at.Copies
	case KindGuest:
		// So does an extension's, or the default for extensions.
		p.ReadOnly = append(p.ReadOnly, at.programs()...)
		p.GitConfigs, p.copies = found.configs, at.Copies
	case KindFiles:
		p.Limits.MemoryBytes = filesMemory
	case KindWeb:
		p.ReadWrite, p.Make, p.Inner = nil, nil, nil
		p.Limits.MemoryBytes = filesMemory
	case KindBuild:
		p.Limits = Limits{MemoryBytes: shellMemory, Processes: shellProcesses}
	case KindShell, KindServer, KindToolchain:
		if kind != KindToolchain {
			p.Limits = Limits{MemoryBytes: shellMemory, Processes: shellProcesses}
		}
		p.ReadOnly = append(p.ReadOnly, at.programs()...)
		p.ReadWrite = append(append(p.ReadWrite, below(at.Home, caches)...), present(at.Caches...)...)
		p.Make = append(p.Make, at.filled()...)
		p.GitConfigs, p.copies = found.configs, at.Copies
	}
	p.grantTemp(at, nil)
	p.Caches, p.Store = p.layered(at, nil), at.Store
	p.hideSecrets(at)
	return p
}

// aroundHome returns the trees without the home directory. The home directory of a service account can be below one of them.
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
			// A directory that cannot be listed is not granted.
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

// towards returns the directory directly below dir that is on the way to path. path must be below dir.
func towards(dir, path string) string {
	for filepath.Dir(path) != dir {
		path = filepath.Dir(path)
	}
	return path
}

// hideSecrets hides the secrets that the policy would otherwise grant.
func (p *Policy) hideSecrets(at Place) {
	if at.Home == "" {
		return
	}
	// Few of the paths contain the home directory or are below it.
	near := slices.DeleteFunc(slices.Concat(p.ReadWrite, p.ReadOnly, p.Own), func(path string) bool {
		return !within(path, at.Home) && !within(at.Home, path)
	})
	for _, secret := range below(at.Home, secrets()) {
		if covering(near, secret) != "" && !slices.Contains(p.Hidden, secret) {
			p.Hidden = append(p.Hidden, secret)
		}
	}
}

// protect adds the paths that stay read-only to a survey, in the order in which they are found: the paths that are never created, and
// those that cannot be protected because they contain the working directory.
func (s *Survey) protect(at Place) {
	git, links := at.Git, at.Links
	if git == nil {
		git = GitPaths(at.Workdir, at.Home)
	}
	if links == nil {
		links = at.FindLinks()
	}
	s.uncovered, s.configs = slices.Concat(links.Uncovered, git.Uncovered), git.Configs
	s.named = slices.Concat(below(at.Workdir, []string{settingsName}), at.hiding(), present(at.Settings...), present(at.EnvFiles...), git.Files, links.Paths)
	workdir, seen := resolve(at.Workdir), map[string]bool{}
	for _, path := range slices.Concat(git.Paths, s.named, present(at.Sources...), at.programDirs()) {
		switch {
		case seen[path]:
		case at.Workdir != "" && within(resolve(path), workdir):
			s.exposed = append(s.exposed, path)
		default:
			s.protected = append(s.protected, path)
		}
		seen[path] = true
	}
}

// protectTrusted protects the paths of other projects that are in a writable tree. It must be called when the trees are complete.
func (p *Policy) protectTrusted(at Place) {
	if len(at.Trusted) == 0 {
		return
	}
	trees := make([]string, 0, len(p.ReadWrite))
	for _, tree := range p.ReadWrite {
		trees = append(trees, resolve(tree))
	}
	workdir := resolve(at.Workdir)
	for _, path := range present(at.Trusted...) {
		switch {
		case covering(trees, path) == "" || slices.Contains(p.Protected, path) || slices.Contains(p.Exposed, path):
		case at.Workdir != "" && within(path, workdir):
			p.Exposed = append(p.Exposed, path)
		default:
			p.Protected, p.Named = append(p.Protected, path), append(p.Named, path)
		}
	}
}

// programDirs returns the directories of aura's own programs. If a directory contains a path that must be writable, programDirs
// returns the program instead.
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
