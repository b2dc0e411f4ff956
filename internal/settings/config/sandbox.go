package config

import (
	"fmt"
	"regexp"
	"slices"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/gitignore"
	"github.com/idelchi/aura/internal/base/strictyaml"
	"github.com/idelchi/aura/internal/system/hidden"
	"github.com/idelchi/aura/internal/system/network"
)

// Sandbox configures how tools and plugins are confined: the key sandbox: in sandbox/ or in features/.
type Sandbox struct {
	// Enabled asks for the sandbox. Whether it is available also depends on the system.
	Enabled bool `yaml:"enabled"`
	// Required refuses to run tools and plugins without a sandbox. Once it is set, no later setting can remove it.
	Required bool `yaml:"required"`
	// Restrictions replaces aura's own lists. A nil list is not set.
	Restrictions SandboxPaths `yaml:"restrictions"`
	// Extra holds additional paths to grant. The values of agents, modes and tasks are added to those of lower precedence.
	Extra SandboxPaths `yaml:"extra"`
	// Network says which hosts plugins and Bash may reach.
	Network Network `yaml:"network"`
	// UnixSockets allows Bash to connect to the Unix sockets of other programs.
	UnixSockets bool `yaml:"unix_sockets"`
	// Caches is PrivateCaches or SharedCaches.
	Caches string `yaml:"caches"`
	// Env names environment variables that Bash, shell hooks and bash: conditions see in addition to the usual ones. A name may
	// end in *. The values are added to those of lower precedence.
	Env []string `yaml:"env"`
	// Hidden lists patterns of files that nothing confined can read, in the syntax of .gitignore. Each file of settings adds patterns: a
	// pattern with ! cancels only those before it in the same file, and in a file of the user's home also what is hidden by default.
	Hidden []string `yaml:"hidden"`
	// Layers holds the patterns by the files that set them.
	Layers []hidden.Layer `yaml:"-"`
	// EnvFiles holds the paths of the task's env files, whether they exist or not.
	EnvFiles []string `yaml:"-"`
}

// SandboxPaths holds files and directories. They may begin with ~, and may be relative to the working directory.
type SandboxPaths struct {
	ReadOnly  []string `yaml:"ro"`
	ReadWrite []string `yaml:"rw"`
}

// The values of Sandbox.Caches: builds add to a private layer above the user's caches, or write the user's caches.
const (
	PrivateCaches = "private"
	SharedCaches  = "shared"
)

func defaultSandbox() Sandbox {
	rules := network.Default()
	return Sandbox{Enabled: true, Network: Network{Setting: network.Setting{Rules: &rules}}, Caches: PrivateCaches}
}

// with returns s overridden by the settings in n. Extra, Env and Hidden are appended, Required is never removed, and all other settings
// are replaced.
func (s Sandbox) with(of Source, n *yaml.Node) (Sandbox, error) {
	file := of.File
	if err := noBlanks(file, n); err != nil {
		return Sandbox{}, err
	}
	layers := s.Layers
	s.Hidden = nil
	below, env, required := s.Extra, s.Env, s.Required
	s.Extra, s.Env = SandboxPaths{}, nil
	if err := decodeSet(file, n, &s); err != nil {
		return Sandbox{}, err
	}
	s.Env, s.Required = slices.Concat(env, s.Env), s.Required || required
	s.Enabled = s.Enabled || s.Required
	if len(s.Hidden) > 0 {
		layers = append(slices.Clip(layers), hidden.Layer{Source: file, Patterns: s.Hidden, Own: of.Home.Kind == HomeUser})
	}
	s.Hidden, s.Layers = nil, layers
	s.Extra = SandboxPaths{
		ReadOnly:  slices.Concat(below.ReadOnly, s.Extra.ReadOnly),
		ReadWrite: slices.Concat(below.ReadWrite, s.Extra.ReadWrite),
	}
	return s, nil
}

// noBlanks refuses paths that are null. The decoder would drop them, and a user who writes ~ without quotes means the home
// directory.
func noBlanks(file string, n *yaml.Node) error {
	for _, list := range []string{"restrictions", "extra"} {
		for _, name := range []string{"ro", "rw"} {
			paths := value(value(n, list), name)
			if paths == nil {
				continue
			}
			for i, path := range paths.Content {
				if path.ShortTag() == nullTag {
					return &strictyaml.Error{File: file, Line: path.Line, Err: fmt.Errorf(
						"key %q: no path; for the home directory write \"~\", in quotes", fmt.Sprintf("sandbox.%s.%s[%d]", list, name, i))}
				}
			}
		}
	}
	return nil
}

// checkExtra checks the keys by which a hook or a server gets more than its policy. Paths for one that is not confined would have no effect.
func (d document) checkExtra(name string, extra SandboxPaths, confined *bool) error {
	for key, paths := range map[string][]string{"ro": extra.ReadOnly, "rw": extra.ReadWrite} {
		if slices.Contains(paths, "") {
			return d.fault([]string{name, extraKey, key}, "an empty path; for the working directory write ., for the home directory \"~\" in quotes")
		}
	}
	if confined != nil && !*confined && len(extra.ReadOnly)+len(extra.ReadWrite) > 0 {
		return d.fault([]string{name, extraKey}, "has no effect beside sandbox: off, which grants everything; remove one of the two")
	}
	return nil
}

// extraKey is the key of paths that are granted in addition.
const extraKey = "extra"

// variable matches the name of a variable, or the beginning of a name followed by a star.
var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\*?$`) })

func (s Sandbox) check(d declaration) error {
	if s.Caches != PrivateCaches && s.Caches != SharedCaches {
		return d.wrong([]string{"caches"}, "%q is neither %s nor %s", s.Caches, PrivateCaches, SharedCaches)
	}
	for i, pattern := range s.Hidden {
		if !gitignore.Valid(pattern) {
			return d.wrong([]string{"hidden"}, "pattern %d, %q, is not a pattern of .gitignore", i+1, pattern)
		}
	}
	for _, name := range s.Env {
		if !variable().MatchString(name) {
			return d.wrong([]string{"env"}, "%q is neither the name of a variable nor the beginning of one with a * at its end", name)
		}
	}
	for _, list := range []struct {
		key   string
		paths SandboxPaths
	}{{"restrictions", s.Restrictions}, {"extra", s.Extra}} {
		for name, paths := range map[string][]string{"ro": list.paths.ReadOnly, "rw": list.paths.ReadWrite} {
			if slices.Contains(paths, "") {
				return d.wrong([]string{list.key, name}, "an empty path; for the working directory write .")
			}
		}
	}
	return nil
}

// onlySandbox refuses any other feature in the sandbox folder.
func onlySandbox(d document, key *yaml.Node) error {
	if key.Value == sandboxKey {
		return nil
	}
	return &strictyaml.Error{File: d.File, Line: key.Line, Err: fmt.Errorf(
		"key %q: a file in sandbox/ has the top-level key %q: move the other to features/", key.Value, sandboxKey)}
}
