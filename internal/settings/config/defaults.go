package config

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"github.com/idelchi/aura/internal/base/files"
)

// Found holds the files of a working directory that aura uses by default. It does not include files that the command line names.
type Found struct {
	// Dir is the directory of the project, which contains the home. Symbolic links are resolved in Dir but not in Base.
	Dir, Base string
	// Home is the project's home. EnvFile is the env file. Agent is the project's directory of Aar, if it has extensions. All are
	// absolute, and empty if there is none.
	Home, EnvFile, Agent string
	// Skills holds the project's directories of other agents that contain skills, commands or plugins, such as .agents.
	Skills []string
}

// None reports whether nothing was found.
func (f Found) None() bool {
	return f.Home == "" && f.EnvFile == "" && f.Agent == "" && len(f.Skills) == 0
}

// Owns reports whether a home belongs to the project.
func (f Found) Owns(h Home) bool {
	dir := cmp.Or(h.Of, h.Dir)
	return dir != "" && (dir == f.Home || dir == f.Agent || slices.Contains(f.Skills, dir))
}

// PluginFolders returns the folders of portable plugins in Skills that exist.
func (f Found) PluginFolders() []string {
	var out []string
	for _, dir := range f.Skills {
		if path := filepath.Join(dir, pluginsKey); filepath.Base(dir) == portableName && files.Exists(path) {
			out = append(out, path)
		}
	}
	return out
}

// SkillFolders returns the folders of skills in Skills.
func (f Found) SkillFolders() []string {
	var out []string
	for _, dir := range f.Skills {
		out = append(out, filepath.Join(dir, skillsFolder))
	}
	return out
}

// Extensions returns the directory of the extensions in Agent; empty if there is none.
func (f Found) Extensions() string {
	if f.Agent == "" {
		return ""
	}
	return filepath.Join(f.Agent, extensionsDir)
}

// Find looks for the files that the working directory contains. It opens no file. The user's own home is never the project's
// home.
func Find(o Options) (Found, error) {
	p, err := locate(o)
	if err != nil {
		return Found{}, err
	}
	f := Found{Base: p.workdir}
	if len(o.Configs) == 0 && files.Exists(p.project) && !sameFile(p.project, p.user) {
		f.Home, f.Base = p.project, filepath.Dir(p.project)
	}
	if agent := p.agent(o); agent != "" && files.Exists(filepath.Join(agent, extensionsDir)) {
		f.Agent = agent
	}
	for _, h := range o.foreignSkills(p) {
		if h.Kind == HomeProject && (files.Exists(filepath.Join(h.Dir, skillsFolder)) || files.Exists(filepath.Join(h.Dir, foreignCommands)) || isPortableHome(h) && files.Exists(filepath.Join(h.Dir, pluginsKey))) {
			f.Skills, f.Base = append(f.Skills, h.Dir), filepath.Dir(h.Dir)
		}
	}
	f.Dir = f.Base
	if resolved, err := filepath.EvalSymlinks(f.Base); err == nil {
		f.Dir = resolved
	}
	if env := absolute(p.workdir, DefaultEnvFile); o.EnvFiles == nil && files.Exists(env) && !isEmpty(env) && !named(o.Configs, p.workdir) {
		f.EnvFile = env
	}
	return f, nil
}

// named reports whether the command line names a home in the working directory. Such a home counts as consent for the whole
// directory.
func named(configs []string, workdir string) bool {
	for _, dir := range configs {
		if rel, err := filepath.Rel(workdir, absolute(workdir, dir)); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// isEmpty reports whether a file is empty. An empty env file has no effect.
func isEmpty(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() == 0
}

func sameFile(a, b string) bool {
	one, err1 := os.Stat(a)
	other, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(one, other)
}
