package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/internal/session"
	"github.com/idelchi/aura/internal/setup"
	"github.com/idelchi/aura/internal/state"
)

// Paths holds the paths of a project. Paths are absolute and need not exist.
type Paths struct {
	// Config holds the homes in use, the one of highest precedence last.
	Config   []string `json:"config"`
	State    string   `json:"state"`
	Sessions string   `json:"sessions"`
	Output   string   `json:"output"`
	Logs     string   `json:"logs"`
	Data     string   `json:"data"`
	Cache    string   `json:"cache"`
	Runtime  string   `json:"runtime"`
	Trust    string   `json:"trust"`
}

// PathsOf returns the paths of a configuration.
func PathsOf(c *config.Config) Paths {
	p := Paths{
		Config: []string{}, State: c.State.Project, Sessions: c.State.Sessions(), Output: c.State.Output(), Logs: c.State.Logs(),
		Data: c.State.Data(), Cache: c.State.Cache(), Runtime: setup.RuntimeDir(c), Trust: c.State.Trust(),
	}
	for _, home := range c.Homes {
		if info, err := os.Stat(home.Dir); err == nil && info.IsDir() {
			p.Config = append(p.Config, home.Dir)
		}
	}
	return p
}

// MoveState moves the sessions and the plugin data that earlier versions of aura stored in the homes to their current location.
// It does so once for each home. Later, the old locations may contain files that a tool created, which must not be mistaken for
// aura's own.
func MoveState(c *config.Config, notify func(string)) {
	for _, home := range c.Homes {
		to := setup.StateOf(c, home)
		if to.Project == "" || !firstTime(to) {
			continue
		}
		place := func(string) state.Paths { return to }
		if home.Dir == c.User {
			place = c.State.Of // the user's home contained the sessions of many directories
		}
		n, err := moveSessions(filepath.Join(home.Dir, "sessions"), place)
		n2, err2 := moveDirs(filepath.Join(home.Dir, "data"), to.Data())
		if n+n2 > 0 {
			notify(fmt.Sprintf("moved %s and the data of %s from %s: aura keeps its state outside of the project now; `aura paths` shows where",
				counted(n, "session"), counted(n2, "plugin"), home.Dir))
		}
		if err := errors.Join(err, err2); err != nil {
			notify(fmt.Sprintf("moving state from %s: %v; move what is left by hand (`aura paths` shows where to)", home.Dir, err))
		}
	}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// firstTime reports whether aura sees a home for the first time since state is stored outside the homes, and records that.
func firstTime(to state.Paths) bool {
	if err := os.MkdirAll(to.Project, 0o700); err != nil {
		return false // creating a session will report why
	}
	f, err := os.OpenFile(filepath.Join(to.Project, "moved"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return false
	}
	_ = f.Close()
	return true
}

// moveSessions moves journals to the state of the directory that each session worked in.
func moveSessions(dir string, place func(workdir string) state.Paths) (int, error) {
	list, err := session.List(dir)
	if err != nil {
		return 0, err
	}
	moved := 0
	var faults []error
	for _, s := range list {
		if s.Err != "" {
			faults = append(faults, errors.New(s.Err))
			continue
		}
		if err := moveFile(s.Path, place(s.Workdir).Sessions()); err != nil {
			faults = append(faults, err)
			continue
		}
		moved++
	}
	return moved, errors.Join(faults...)
}

// moveFile copies a file and removes the original, because the state may be located on another disk. It does not follow links.
func moveFile(path, dir string) error {
	from, err := files.OpenNoFollow(path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	to, err := os.OpenFile(filepath.Join(dir, filepath.Base(path)), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Close()); err != nil {
		return errors.Join(err, os.Remove(to.Name()))
	}
	return os.Remove(path)
}

// moveDirs moves the subdirectories of one directory into another.
func moveDirs(from, to string) (int, error) {
	entries, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) || len(entries) == 0 {
		return 0, nil
	}
	if err == nil {
		err = os.MkdirAll(to, 0o700)
	}
	moved := 0
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if failed := os.Rename(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		moved++
	}
	return moved, err
}
