package config

import (
	"path/filepath"
	"slices"
)

// The directories of Python extensions. Extensions written for Aar are also loaded from where Aar loads them: extensions/ in
// ~/.aar of the user and in .agent of the project.
const (
	extensionsDir  = "extensions"
	aarUserName    = ".aar"
	aarProjectName = ".agent"
)

// aarHome returns the user's directory of Aar. It is empty if there is no home directory, or if the command line names another home
// than the default one.
func (o Options) aarHome(workdir string) string {
	if o.Home != nil || o.UserHome == "" {
		return ""
	}
	return filepath.Join(absolute(workdir, o.UserHome), aarUserName)
}

// agent returns the project's directory of Aar, beside the project's home. It is empty if the command line excludes the project
// or names the homes.
func (p places) agent(o Options) string {
	if o.Safe || len(o.Configs) > 0 {
		return ""
	}
	return filepath.Join(filepath.Dir(p.project), aarProjectName)
}

// extensionRoots returns the directories of extensions, lowest precedence first. Within the user's files and within those of the
// project, a home of aura takes precedence over a directory of Aar.
func (o Options) extensionRoots(p places) []PluginRoot {
	var user, project []PluginRoot
	add := func(list *[]PluginRoot, h Home) {
		*list = append(*list, PluginRoot{Home: h, Dir: filepath.Join(h.Dir, extensionsDir), Python: true})
	}
	if dir := o.aarHome(p.workdir); dir != "" {
		add(&user, Home{Dir: dir, Kind: HomeUser})
	}
	if dir := p.agent(o); dir != "" {
		add(&project, Home{Dir: dir, Kind: HomeProject})
	}
	for _, h := range p.homes {
		if h.Kind == HomeUser {
			add(&user, h)
		} else {
			add(&project, h)
		}
	}
	return append(user, project...)
}

// AarExtensions returns the directories that extensions written for Aar are loaded from, even if the command line excludes the
// project now. They need not exist.
func (c *Config) AarExtensions() []string {
	var out []string
	for _, dir := range []string{c.Workdir, filepath.Dir(c.Project)} {
		if path := filepath.Join(dir, aarProjectName, extensionsDir); !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	if c.Aar != "" {
		out = append(out, filepath.Join(c.Aar, extensionsDir))
	}
	return out
}
