package config

import (
	"os"
	"path/filepath"
)

// Found is what a working directory holds that aura uses without being told to. Whatever the command line names is not part of it.
type Found struct {
	// Dir is the directory of the project: the one that holds the home. Links are resolved; in Base they are not.
	Dir, Base string
	// Home is the project's home, and EnvFile the env file; both absolute, and empty if there is none.
	Home, EnvFile string
}

// None reports whether there is nothing.
func (f Found) None() bool { return f.Home == "" && f.EnvFile == "" }

// Find looks for what the working directory of these options holds. It opens nothing. The user's own home is not the project's.
func Find(o Options) (Found, error) {
	p, err := locate(o)
	if err != nil {
		return Found{}, err
	}
	f := Found{Base: p.workdir}
	if len(o.Configs) == 0 && exists(p.project) && !sameFile(p.project, p.user) {
		f.Home, f.Base = p.project, filepath.Dir(p.project)
	}
	f.Dir = f.Base
	if resolved, err := filepath.EvalSymlinks(f.Base); err == nil {
		f.Dir = resolved
	}
	if env := absolute(p.workdir, DefaultEnvFile); o.EnvFiles == nil && exists(env) && !isEmpty(env) && !named(o.Configs, p.workdir) {
		f.EnvFile = env
	}
	return f, nil
}

// named reports whether a home that the command line names lies in the working directory: it then speaks for all of the directory.
func named(configs []string, workdir string) bool {
	for _, dir := range configs {
		if rel, err := filepath.Rel(workdir, absolute(workdir, dir)); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// isEmpty reports a file with nothing in it. As an env file it does nothing.
func isEmpty(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() == 0
}

func sameFile(a, b string) bool {
	one, err1 := os.Stat(a)
	other, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(one, other)
}
