package manifest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/files"

	"github.com/idelchi/aura/internal/plugin/portable"
)

// pluginsDir is the directory of plugins in a portable plugin's part for aura.
const pluginsDir = "plugins"

// loadPortable reads the portable plugin in a directory. inner is the directory with its plugins in Go; empty if there is none.
func loadPortable(root, dir string, origin *Origin) (p Plugin, inner string) {
	p = Plugin{
		Name: filepath.Base(dir), Dir: dir, Target: target(dir), Root: root, Origin: origin, Runtime: RuntimePortable,
		Manifest: Manifest{OnFailure: FailOpen, Runtime: GoRuntimeAuto, Limits: Limits{Memory: DefaultMemory}},
	}

	read, err := portable.Open(dir)
	if err != nil {
		p.Err = err

		return p, ""
	}

	p.Name, p.Manifest.Description, p.Notes = read.Name, read.Description, read.Notes

	switch real, err := read.Folder(pluginsDir); {
	case err != nil:
		p.Notes = append(p.Notes, fmt.Sprintf("%s/%s is left out: %v", portable.Namespace, pluginsDir, err))
	case real != "":
		// The path below dir is the one that the lock knows.
		inner = filepath.Join(dir, portable.Namespace, pluginsDir)
	}

	return p, inner
}

// Contained sets Err of plugins that links lead out of the portable plugin that contains them.
func Contained(found []Plugin) {
	for i, p := range found {
		if p.Package == "" {
			continue
		}

		if err := portable.Contains(p.Package, p.Dir); err != nil {
			found[i].Err = err
		}
	}
}

// Faults returns what is left out of a portable plugin. It is empty for other plugins.
func Faults(p Plugin) []string {
	out := slices.Clone(p.Notes)
	if !p.Portable() || p.Err != nil {
		return out
	}

	read, err := portable.Open(p.Dir)
	if err != nil {
		return append(out, err.Error())
	}

	out = append(out, read.LeftOut...)
	_, skills := read.Skills()
	_, servers := read.Servers()

	for _, f := range slices.Concat(skills, servers) {
		out = append(out, f.String())
	}

	return out
}

// Components holds the names of what a portable plugin has. The slices are sorted.
type Components struct {
	Skills   []string `json:"skills"`
	Servers  []string `json:"servers"`
	Hooks    []string `json:"hooks"`
	Commands []string `json:"commands"`
	Agents   []string `json:"agents"`
}

// ComponentsOf returns what a portable plugin has; nil for other plugins and for one that cannot be read.
func ComponentsOf(p Plugin) *Components {
	read, err := portable.Open(p.Dir)
	if !p.Portable() || err != nil {
		return nil
	}

	c := &Components{Skills: []string{}, Servers: []string{}, Hooks: []string{}, Commands: []string{}, Agents: []string{}}

	skills, _ := read.Skills()
	for _, s := range skills {
		c.Skills = append(c.Skills, s.Dir)
	}

	servers, _ := read.Servers()
	for _, s := range servers {
		c.Servers = append(c.Servers, s.Name)
	}

	hooks, _ := hooksIn(read)
	c.Hooks = append(c.Hooks, slices.Sorted(maps.Keys(hooks))...)
	c.Commands = append(c.Commands, namesIn(read, "config/commands")...)
	c.Agents = append(c.Agents, namesIn(read, "config/agents")...)

	return c
}

// namesIn returns the names of the Markdown files in a folder of a package's part for aura, without the extension.
func namesIn(p portable.Package, folder string) []string {
	var out []string

	for _, file := range filesIn(p, folder, ".md") {
		out = append(out, strings.TrimSuffix(filepath.Base(file), ".md"))
	}

	return out
}

// maxListed limits how many files of a folder are looked at.
const maxListed = 1000

// filesIn returns the files of a folder of a package's part for aura, and of its folders, that have one of the extensions.
func filesIn(p portable.Package, folder string, extensions ...string) []string {
	dir, err := p.Folder(folder)
	if err != nil || dir == "" {
		return nil // Faults of the configuration reports it
	}

	var out []string

	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && slices.Contains(extensions, filepath.Ext(path)) && len(out) < maxListed && portable.Contains(p.Root, path) == nil {
			out = append(out, path)
		}

		return nil
	})

	slices.Sort(out)

	return out
}

// hook is the part of a shell hook that a user should know before it runs.
type hook struct {
	Event    string
	Command  string
	Disabled bool
	Sandbox  *bool
	Extra    struct{ RO, RW []string }
}

// hooksIn returns the shell hooks of a package, and the files that cannot be read. The configuration reads them strictly.
func hooksIn(p portable.Package) (map[string]hook, []string) {
	out := map[string]hook{}

	var unread []string

	for _, file := range filesIn(p, "config/hooks", ".yaml", ".yml") {
		var read map[string]hook

		text, err := files.Read(file, files.MaxText)
		if err == nil {
			err = yaml.Unmarshal(text, &read)
		}

		if err != nil {
			unread = append(unread, filepath.Base(file))

			continue
		}

		maps.Copy(out, read)
	}

	return out, unread
}

// askPortable adds what the servers and hooks of a portable plugin run or connect to.
func (a *Asks) askPortable(p Plugin) {
	read, err := portable.Open(p.Dir)
	if err != nil {
		return // nothing of it is used
	}

	servers, _ := read.Servers()
	for _, s := range servers {
		text := s.Name + ": connects to " + s.URL
		if s.Type == portable.TypeStdio {
			a.Programs = true
			text = s.Name + ": runs " + strings.Join(append([]string{strings.Replace(s.Command, read.Root+string(filepath.Separator), "./", 1)}, s.Args...), " ")
		}

		if len(s.Env) > 0 {
			text += "; sets variables " + strings.Join(slices.Sorted(maps.Keys(s.Env)), ", ")
		}

		if names := s.UserVariables(); read.Claude() && len(names) > 0 {
			text += "; reads your variables " + strings.Join(names, ", ")
		}

		a.Servers = append(a.Servers, text)
	}

	hooks, unread := hooksIn(read)
	for _, name := range slices.Sorted(maps.Keys(hooks)) {
		h := hooks[name]
		text := fmt.Sprintf("%s at %s: %s", name, h.Event, h.Command)

		if h.Sandbox != nil && !*h.Sandbox {
			text += "; not confined"
		}

		if extra := slices.Concat(h.Extra.RO, h.Extra.RW); len(extra) > 0 {
			text += "; reaches also " + strings.Join(extra, ", ")
		}

		a.Hooks = append(a.Hooks, text)
	}

	for _, file := range unread {
		a.Hooks = append(a.Hooks, file+", which cannot be read")
	}
}
