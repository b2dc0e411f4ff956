package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/system/state"
)

// DirName is the default name of a home.
const DirName = ".aura"

// HomeKind is the kind of a home.
type HomeKind string

// The kinds of homes.
const (
	HomeUser    HomeKind = "user"
	HomeProject HomeKind = "project"
	// HomeInstalled is a Python installation, whose packages may declare extensions. It has no configuration.
	HomeInstalled HomeKind = "installed"
	// HomeBuiltin is the program itself. It has no directory.
	HomeBuiltin HomeKind = "built-in"
)

// Home is a directory that contains configuration and plugins. The directories of Aar, which contain only extensions, also count as
// homes.
type Home struct {
	// Dir is absolute.
	Dir  string
	Kind HomeKind
	// Of is the home that has the portable plugin whose part for aura this is; empty for every other home.
	Of string
	// variables holds the directories of that plugin, for its texts and hooks; nil for every other home.
	variables *packageVariables
}

// places holds the directories that follow from Options. All are absolute.
type places struct {
	workdir string
	project string
	user    string
	homes   []Home
}

func locate(o Options) (places, error) {
	workdir, err := filepath.Abs(o.Workdir)
	if err != nil {
		return places{}, fmt.Errorf("finding the working directory: %w", err)
	}
	if info, err := os.Stat(workdir); err != nil || !info.IsDir() {
		return places{}, fmt.Errorf("finding the working directory: %s is not a directory: name another with --workdir", workdir)
	}
	p := places{workdir: workdir, user: userHome(o, workdir)}
	if p.user != "" {
		p.homes = append(p.homes, Home{Dir: p.user, Kind: HomeUser})
	}
	configs := o.Configs
	if len(configs) == 0 {
		configs = []string{nearestHome(workdir, o.UserHome)}
	}
	if o.Safe && len(o.Configs) == 0 {
		p.project = configs[0]
		return p, nil
	}
	for _, dir := range configs {
		if err := p.addProject(dir, len(o.Configs) > 0); err != nil {
			return places{}, err
		}
	}
	return p, nil
}

// nearestHome returns the project's home if none is named: the nearest .aura from the working directory up to the root of its
// repository, but not beyond the user's home directory. If there is none, or outside a repository, it returns the .aura of the
// working directory.
func nearestHome(workdir, home string) string {
	own := filepath.Join(workdir, DirName)
	if files.Exists(own) {
		return own
	}
	for _, dir := range slices.Backward(fromRoot(workdir, home)) {
		path := filepath.Join(dir, DirName)
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return path
		}
	}
	return own
}

// fromRoot returns the directories from the root of the repository down to the working directory, both included. The user's home
// directory and its ancestors are never part of a project. Outside a repository, it returns only the working directory.
func fromRoot(workdir, home string) []string {
	var out []string
	for dir := workdir; dir != home; dir = filepath.Dir(dir) {
		out = append(out, dir)
		if files.Exists(filepath.Join(dir, ".git")) {
			slices.Reverse(out)
			return out
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return []string{workdir}
}

// state returns the paths of this project's state. An env file cannot change them, because tools may have written the env file.
// If the user names a configuration, the project is still the working directory.
func (o Options) state(p places) state.Paths {
	root := p.workdir
	if len(o.Configs) == 0 {
		root = filepath.Dir(p.project)
	}
	xdg, _ := Lookup(o.inherited(), "XDG_STATE_HOME")
	return state.Locate(xdg, o.UserHome, root)
}

func userHome(o Options, workdir string) string {
	switch {
	case o.Home == nil && o.UserHome == "", o.Home != nil && *o.Home == "":
		return ""
	case o.Home == nil:
		return filepath.Join(absolute(workdir, o.UserHome), DirName)
	default:
		return absolute(workdir, *o.Home)
	}
}

// addProject makes dir the home of highest precedence. If dir is named twice, or is also the user's home, only the last position
// counts.
func (p *places) addProject(dir string, named bool) error {
	if dir == "" {
		return errors.New("the name of a configuration directory is empty: give --config a directory")
	}
	dir = absolute(p.workdir, dir)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && named:
		return fmt.Errorf("configuration directory %s does not exist: create it or correct --config", dir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("opening configuration directory: %w", err)
	case err == nil && !info.IsDir():
		return fmt.Errorf("configuration directory %s is a file, not a directory", dir)
	}
	p.project = dir
	p.homes = slices.DeleteFunc(p.homes, func(h Home) bool { return h.Dir == dir })
	p.homes = append(p.homes, Home{Dir: dir, Kind: HomeProject})
	return nil
}

// absolute returns path if it is absolute, and otherwise joins it to dir.
func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// firstFile returns the first candidate that exists and is not a directory.
func firstFile(candidates []string) (string, bool) {
	for _, path := range candidates {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, true
		}
	}
	return "", false
}
