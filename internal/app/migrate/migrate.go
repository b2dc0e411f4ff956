// Package migrate moves the state that earlier versions of aura kept in a home to where it is kept now.
package migrate

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/system/state"
)

// The directories of a home in which earlier versions of aura stored sessions and plugin data.
const (
	SessionsDir = "sessions"
	DataDir     = "data"
)

// maxOldEntries is how many entries of each old directory are moved.
const maxOldEntries = 10_000

// State moves the sessions and the plugin data that earlier versions of aura stored in the homes to their current location.
// It does so once for each home. Later, the old locations may contain files that a tool created, which must not be mistaken for
// aura's own. It moves nothing of a project to which the user has not agreed, and it never moves what a link leads to.
func State(c *config.Config, notify func(string)) {
	for _, home := range c.Homes {
		to := setup.StateOf(c, home)
		if to.Project == "" || moved(to) {
			continue
		}
		users := home.Dir == c.User
		old, links := oldState(home.Dir, users)
		if len(old) > 0 && !users && !c.Agreed {
			notify(fmt.Sprintf("%s of an earlier version of aura in %s: not moved, because you have not agreed to this directory; "+
				"`aura sessions list --trust` moves it, if it is yours", strings.Join(old, " and "), home.Dir))
			continue
		}
		if !firstTime(to) {
			continue
		}
		for _, link := range links {
			notify(fmt.Sprintf("%s is a link, so the state of an earlier version of aura that it leads to is not moved; "+
				"move it by hand if it is yours (`aura paths` shows where to)", link))
		}
		if len(old) == 0 {
			continue
		}
		place := func(string) state.Paths { return to }
		if users {
			place = c.State.Of // the user's home contained the sessions of many directories
		}
		sessions, data, err := moveHome(home.Dir, place, to.Data())
		if sessions+data > 0 {
			notify(fmt.Sprintf("moved %s and the data of %s from %s: aura keeps its state outside of the project now; `aura paths` shows where",
				plaintext.Counted(sessions, "session"), plaintext.Counted(data, "plugin"), home.Dir))
		}
		if err != nil {
			notify(fmt.Sprintf("moving state from %s: %v; move what is left by hand (`aura paths` shows where to)", home.Dir, err))
		}
	}
}

// movedMark is the file that records that aura has seen a home since state is stored outside the homes.
const movedMark = "moved"

// moved reports whether aura has seen a home before.
func moved(to state.Paths) bool {
	_, err := os.Lstat(filepath.Join(to.Project, movedMark))
	return err == nil
}

// firstTime reports whether aura sees a home for the first time, and records that.
func firstTime(to state.Paths) bool {
	if err := os.MkdirAll(to.Project, 0o700); err != nil {
		return false // creating a session will report why
	}
	f, err := os.OpenFile(filepath.Join(to.Project, movedMark), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return false
	}
	_ = f.Close()
	return true
}

// oldState returns the names of the directories with old state in a home, and the paths of links in their place. The user's home
// may itself be a link. A project's home may not: whoever wrote the project chose the target.
func oldState(home string, users bool) (names, links []string) {
	if info, err := os.Lstat(home); err != nil || !users && info.Mode()&fs.ModeSymlink != 0 {
		for _, name := range []string{SessionsDir, DataDir} {
			if _, err := os.Stat(filepath.Join(home, name)); err == nil {
				return nil, []string{home}
			}
		}
		return nil, nil
	}
	for _, name := range []string{SessionsDir, DataDir} {
		path := filepath.Join(home, name)
		info, err := os.Lstat(path)
		switch {
		case err != nil:
		case info.Mode()&fs.ModeSymlink != 0:
			links = append(links, path)
		case info.IsDir():
			names = append(names, name)
		}
	}
	return names, links
}

// moveHome moves the state of a home. It returns how many sessions and directories of plugins it moved.
func moveHome(home string, place func(workdir string) state.Paths, data string) (sessions, plugins int, err error) {
	root, err := files.OpenRoot(home)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = root.Close() }()
	sessions, err = moveSessions(root, place)
	plugins, err2 := moveDirs(root, data)
	return sessions, plugins, errors.Join(err, err2)
}

// openOld opens a directory with old state, but no link in its place. It returns nil if there is no such directory.
func openOld(home *os.Root, name string) (*os.Root, error) {
	info, err := home.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	dir, err := files.OpenRootIn(home, name)
	if err != nil {
		return nil, err
	}
	// OpenRoot follows a link that was put there after Lstat.
	if opened, err := dir.Stat("."); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(err, dir.Close(), fmt.Errorf("%s was replaced", dir.Name()))
	}
	return dir, nil
}

// moveSessions moves journals to the state of the directory that each session worked in.
func moveSessions(home *os.Root, place func(workdir string) state.Paths) (int, error) {
	dir, err := openOld(home, SessionsDir)
	if dir == nil {
		return 0, err
	}
	defer func() { _ = dir.Close() }()
	list, err := session.List(filepath.Join(home.Name(), SessionsDir))
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
		if err := moveFile(dir, filepath.Base(s.Path), place(s.Workdir).Sessions()); err != nil {
			faults = append(faults, err)
			continue
		}
		moved++
	}
	return moved, errors.Join(faults...)
}

// moveFile copies a file and removes the original, because the state may be located on another disk. It does not follow links.
func moveFile(dir *os.Root, name, to string) error {
	from, err := files.OpenNoFollow(filepath.Join(dir.Name(), name), os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	// The path may lead elsewhere by now.
	info, err := dir.Lstat(name)
	if err != nil {
		return err
	}
	if opened, err := from.Stat(); err != nil || !os.SameFile(info, opened) {
		return errors.Join(err, fmt.Errorf("%s was replaced", from.Name()))
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	copied, err := os.OpenFile(filepath.Join(to, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(copied, from)
	if err = errors.Join(err, copied.Close()); err != nil {
		return errors.Join(err, os.Remove(copied.Name()))
	}
	return dir.Remove(name)
}

// moveDirs moves the data directories of plugins.
func moveDirs(home *os.Root, to string) (int, error) {
	dir, err := openOld(home, DataDir)
	if dir == nil {
		return 0, err
	}
	defer func() { _ = dir.Close() }()
	entries, err := files.ReadDirBelow(dir, ".", maxOldEntries)
	if err != nil || len(entries) == 0 {
		return 0, err
	}
	err = os.MkdirAll(to, 0o700)
	moved := 0
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if failed := renameOut(dir, e.Name(), filepath.Join(to, e.Name())); failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		moved++
	}
	return moved, err
}
