package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/skill"
	"github.com/idelchi/aura/internal/base/strictyaml"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/plugin/portable"
	"github.com/idelchi/aura/internal/runtime/python"
	"github.com/idelchi/aura/internal/supply/install"
)

// portableName is the directory, beside a home of aura, whose plugins/ has portable plugins for all agents.
const portableName = ".agents"

// Package is a portable plugin in use.
type Package struct {
	portable.Package

	// Dir is the directory of the package by the path at which it was found. Data is the directory for its data.
	Dir, Data string
	// Home is where aura's own part of it is, whether it exists or not.
	Home Home
}

func isPortableHome(h Home) bool { return filepath.Base(h.Dir) == portableName }

// portableRoots returns the directories of portable plugins beside the homes.
func (l *loader) portableRoots() []PluginRoot {
	var out []PluginRoot
	for _, h := range l.foreign {
		if isPortableHome(h) {
			out = append(out, PluginRoot{Home: h, Dir: filepath.Join(h.Dir, pluginsKey)})
		}
	}
	return out
}

// PortableRoots returns the directories of portable plugins for all agents, that of the user first. They need not exist.
func (c *Config) PortableRoots() []PluginRoot { return slices.Clone(c.globals.portable) }

// findPackages returns the portable plugins in use, by name: those that are selected, have their files as they were installed, and that no
// plugin of the same name replaces.
func (l *loader) findPackages(c *Config) map[string]Package {
	found := map[string]Package{}
	if l.withoutPackages {
		return found
	}
	for _, root := range c.Roots() {
		if root.Python {
			continue
		}
		// Faults of the directory are reported where the plugins are listed.
		plugins, _ := python.SearchPlugins(root.Dir)
		packages := slices.DeleteFunc(slices.Clone(plugins), func(p manifest.Plugin) bool { return !p.Portable() })
		if !l.text {
			install.Verify(install.Place{Home: root.Home.Dir, Root: root.Dir}, packages, c.Signing)
		}
		for _, p := range plugins {
			delete(found, p.Name) // it is replaced
		}
		for _, p := range packages {
			if !c.globals.features.Plugins.Selected(p.Name) {
				continue
			}
			if pkg, ok := l.openPackage(c, root, p); ok {
				found[p.Name] = pkg
			}
		}
	}
	return found
}

// openPackage opens a portable plugin. Its faults are notices.
func (l *loader) openPackage(c *Config, root PluginRoot, p manifest.Plugin) (Package, bool) {
	read, err := portable.Open(p.Dir)
	if p.Err != nil || err != nil {
		return Package{}, false // the list of plugins reports it
	}
	read.Name = p.Name
	for _, note := range p.Notes {
		l.notePackage(p.Name, note)
	}
	data := c.State.User()
	if root.Home.Kind == HomeProject && root.Home.Dir != c.User {
		data = c.State
	}
	out := Package{Package: read, Dir: p.Dir, Home: Home{Dir: filepath.Join(p.Dir, portable.Namespace), Kind: root.Home.Kind, Of: root.Home.Dir}}
	if dir := data.Data(); dir != "" {
		out.Data = filepath.Join(dir, p.Name)
	}
	out.Home.variables = &packageVariables{root: out.Root, data: out.Data, all: out.Variables(out.Root, out.Data)}
	return out, true
}

// packageVariables holds the directories of a package, and the variables with them.
type packageVariables struct {
	root, data string
	all        map[string]string
}

// Package returns the directories of the portable plugin whose part for aura the home is. They are empty for every other home.
func (h Home) Package() (root, data string) {
	if h.variables == nil {
		return "", ""
	}
	return h.variables.root, h.variables.data
}

// text replaces the variables of the package in a text for the model. Others stay.
func (v *packageVariables) text(text string) string {
	if v == nil {
		return text
	}
	for name, value := range v.all {
		text = strings.ReplaceAll(text, "${"+name+"}", value)
	}
	return text
}

func (l *loader) notePackage(name, text string) {
	if l.packageNotes == nil {
		l.packageNotes = map[string][]string{}
	}
	if !slices.Contains(l.packageNotes[name], text) {
		l.packageNotes[name] = append(l.packageNotes[name], text)
	}
}

// maxNotes limits how many faults of one package a notice names.
const maxNotes = 10

// packageNotices returns one notice for each package with faults.
func (l *loader) packageNotices() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(l.packageNotes)) {
		notes := l.packageNotes[name]
		if more := len(notes) - maxNotes; more > 0 {
			notes = append(slices.Clone(notes[:maxNotes]), fmt.Sprintf("and %d more", more))
		}
		out = append(out, fmt.Sprintf("the portable plugin %q: %s", name, strings.Join(notes, "; ")))
	}
	return out
}

// highestFirst returns the packages in use, those of the project first, and then by name.
func (l *loader) highestFirst() []Package {
	var out []Package
	for _, kind := range []HomeKind{HomeProject, HomeUser} {
		for _, name := range slices.Sorted(maps.Keys(l.packages)) {
			if p := l.packages[name]; p.Home.Kind == kind {
				out = append(out, p)
			}
		}
	}
	return out
}

// packagedFolders are the folders that aura reads of a package's own part for it.
var packagedFolders = []string{"config/agents", "config/commands", "config/hooks"}

// addPackaged adds the entities of packages whose names are free. A fault leaves out one file, with a notice.
func addPackaged[T any](l *loader, k kind[T], merged map[string]T) {
	if !slices.Contains(packagedFolders, k.folder) {
		return
	}
	for _, p := range l.highestFirst() {
		if _, err := os.Lstat(filepath.Join(p.Home.Dir, k.folder)); err != nil {
			continue
		}
		own, places := map[string]T{}, l.seen
		l.seen = origins{}
		safe := k
		safe.skip = func(s Source) bool {
			err := portable.Contains(p.Dir, s.File)
			if err != nil {
				l.notePackage(p.Name, fmt.Sprintf("%s is left out: %v", s.File, err))
			}
			return err != nil || k.skip != nil && k.skip(s)
		}
		faults, err := loadHome(l, safe, p.Home, own)
		for _, fault := range append(faults, err) {
			if fault != nil {
				l.notePackage(p.Name, "left out: "+fault.Error())
			}
		}
		read := l.seen
		l.seen = places
		for _, name := range slices.Sorted(maps.Keys(own)) {
			if _, taken := merged[name]; taken {
				l.notePackage(p.Name, fmt.Sprintf("its %s %q is left out: there is another of this name", k.name, name))
				continue
			}
			for _, at := range read[k.name][name] {
				l.seen.addPlace(k.name, name, at)
			}
			merged[name] = own[name]
		}
	}
}

// addPackagedSkills adds the skills of packages. A skill whose name is taken is PLUGIN:NAME.
func (l *loader) addPackagedSkills(merged map[string]Skill) {
	for _, p := range l.highestFirst() {
		found, faults := p.Skills()
		for _, f := range faults {
			l.notePackage(p.Name, f.String())
		}
		for _, s := range found {
			file, broken, err := skill.Parse(s.File, s.Text)
			for _, b := range broken {
				if !b.Informs && !p.Claude() && err == nil {
					err = &strictyaml.Error{File: s.File, Line: b.Line, Err: errors.New(b.String())}
				}
			}
			source := Source{File: s.File, Home: p.Home}
			if err != nil {
				l.leaveOut(source, err)
				continue
			}
			if _, taken := merged[file.Name]; taken {
				file.Name = p.Name + ":" + file.Name
			}
			if p.Claude() {
				file.Body = strings.ReplaceAll(p.Home.variables.text(file.Body), "${CLAUDE_SKILL_DIR}", filepath.Dir(s.File))
			}
			l.addForeignSkill(source, file, merged)
		}
	}
}

// addPackagedServers adds the servers of packages as PLUGIN-SERVER.
func (l *loader) addPackagedServers(merged map[string]MCPServer) {
	for _, p := range l.highestFirst() {
		found, faults := p.Servers()
		for _, f := range faults {
			l.notePackage(p.Name, f.String())
		}
		for _, s := range found {
			server, err := l.packagedServer(p, s)
			leftOut := func(why string) { l.notePackage(p.Name, fmt.Sprintf("MCP server %q is left out: %s", s.Name, why)) }
			switch _, taken := merged[server.Name]; {
			case err != nil:
				leftOut(err.Error())
			case taken:
				leftOut(fmt.Sprintf("there is another server with the name %q", server.Name))
			case server.Type == MCPStdio && p.Data == "":
				leftOut("aura has no directory for data, because the user has no home directory")
			default:
				l.seen.addPlace(mcpKind, server.Name, Place{Source: server.Source, Line: 1})
				merged[server.Name] = server
			}
		}
	}
}

// packagedServer returns a server of a package as one of aura's.
func (l *loader) packagedServer(p Package, s portable.Server) (MCPServer, error) {
	out := MCPServer{
		Name: serverNameIn(p.Name, s.Name), Source: Source{File: filepath.Join(p.Dir, portable.MCPFile), Home: p.Home}, Package: &p,
		Type: MCPHTTP, URL: s.URL, Headers: s.Headers,
	}
	expand := func(text string) (string, error) { return portable.Expand(text, p.Root, p.Data), nil }
	if p.Claude() {
		expand = func(text string) (string, error) { return l.expandClaude(p, out.Source, text) }
		if err := expandAll(expand, nil, out.Headers, &out.URL); err != nil {
			return out, err
		}
	}
	if s.Type != portable.TypeStdio {
		return out, nil
	}
	out.Type, out.Command, out.Cwd, out.Env, out.Args = MCPStdio, s.Command, s.Cwd, map[string]string{}, slices.Clone(s.Args)
	maps.Copy(out.Env, s.Env)
	err := expandAll(expand, out.Args, out.Env)
	maps.Copy(out.Env, p.Home.variables.all)
	return out, err
}

// expandAll replaces texts, the values of a map, and single texts in place.
func expandAll(expand func(string) (string, error), list []string, values map[string]string, single ...*string) error {
	var faults []error
	replace := func(text string) string {
		out, err := expand(text)
		faults = append(faults, err)
		return out
	}
	for i := range list {
		list[i] = replace(list[i])
	}
	for name := range values {
		values[name] = replace(values[name])
	}
	for _, text := range single {
		*text = replace(*text)
	}
	return errors.Join(faults...)
}

// expandClaude replaces the variables of a converted package, and those of the user, in a value of a server. If the configuration is only
// shown, those of the user stay as written.
func (l *loader) expandClaude(p Package, s Source, text string) (string, error) {
	return portable.ExpandVariables(text, func(name string) (string, bool) {
		if value, ok := p.Home.variables.all[name]; ok {
			return value, true
		}
		if name == "CLAUDE_PROJECT_DIR" {
			return l.workdir, true
		}
		l.references = append(l.references, Reference{Name: name, Written: text, Place: Place{Source: s, Line: 1}})
		if l.text {
			return "${" + name + "}", true
		}
		return Lookup(l.env, name)
	})
}

// serverNameIn returns the name of a package's server. Models accept only some characters in the names of tools.
func serverNameIn(plugin, server string) string {
	clean := func(name string) string {
		name = strings.Map(func(r rune) rune {
			if r < 0x80 && serverName().MatchString(string(r)) {
				return r
			}
			return '-'
		}, name)
		for strings.Contains(name, "__") {
			name = strings.ReplaceAll(name, "__", "_")
		}
		return name
	}
	if plugin == server || server == "" {
		return clean(plugin)
	}
	return clean(plugin) + "-" + clean(server)
}

// packagedAgentKeys are the keys that an agent of a portable plugin can set. Others could give it more than the user's own agents have.
var packagedAgentKeys = []string{"name", "description", "hide", "subagent", "model", toolsKey, "tools.enabled", "tools.disabled"}

// checkPackagedAgent refuses other keys.
func checkPackagedAgent(d declaration) error {
	if d.Home.Of == "" {
		return nil
	}
	n := d.node()
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i].Value
		if !slices.Contains(packagedAgentKeys, key) {
			return d.wrong([]string{key}, "an agent of a portable plugin cannot set it; it can set %s", strings.Join(packagedAgentKeys, ", "))
		}
		inner := value(n, toolsKey)
		for j := 0; key == toolsKey && j+1 < len(inner.Content); j += 2 {
			if below := toolsKey + "." + inner.Content[j].Value; !slices.Contains(packagedAgentKeys, below) {
				return d.wrong([]string{toolsKey, inner.Content[j].Value}, "an agent of a portable plugin cannot set it")
			}
		}
	}
	return nil
}
