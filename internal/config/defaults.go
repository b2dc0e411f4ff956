package config

import (
	"os"
	"path/filepath"
)

// Found holds the files of a working directory that aura uses by default. It does not include files that the command line names.
type Found struct {
	// Dir is the directory of the project, which contains the home. Symbolic links are resolved in Dir but not in Base.
	Dir, Base string
	// Home is the project's home. EnvFile is the env file. Both are absolute, and empty if there is none.
	Home, EnvFile string
}

// None reports whether nothing was found.
func (f Found) None() bool { return f.Home == "" && f.EnvFile == "" }

// Find looks for the files that the working directory contains. It opens no file. The user's own home is never the project's
// home.
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

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
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
