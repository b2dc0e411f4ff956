// Package plugindev serves the author of a plugin: it watches the plugin's files, and after each save it has them checked and
// what runs against the plugin reloaded.
package plugindev

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/idelchi/aura/internal/manifest"
)

const (
	// quiet is how long no file may change before a save counts as finished. Editors save in several steps: they truncate and
	// write, or they write another file and rename it.
	quiet = 40 * time.Millisecond
	// patience is how long a save may last. Files that change all the time are reported this often.
	patience = 500 * time.Millisecond
	// maxDirs is the largest number of directories that are watched. A system has few watches, and other programs need them too.
	maxDirs = 512
	// maxNames is the largest number of files that a Change names.
	maxNames = 20
)

// Change is a finished save.
type Change struct {
	// Files are the paths of changed files, relative to the plugin's directory and sorted; at most 20. Removed files are among
	// them only if there are no others, because editors make files that they remove at once.
	Files []string
	// At is the time of the last event of the save.
	At time.Time
	// Err is why later changes may be missed; nil if none are.
	Err error
}

// Watcher reports when the files of a plugin were saved. It watches the directories of the plugin without hidden ones and
// vendor/, and follows no links except the plugin's directory itself.
type Watcher struct {
	// dir is the plugin's directory or file, without links.
	dir     string
	notify  *fsnotify.Watcher
	changes chan Change
	// hash is the hash of the files that were reported last. A save that changes no content is not reported.
	hash string
}

// Watch watches the plugin in a directory, or the extension in a file. The caller must close the watcher.
func Watch(dir string) (*Watcher, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return nil, fmt.Errorf("watching a plugin: %w", err)
	}
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watching %s: %w", real, err)
	}
	w := &Watcher{dir: real, notify: notify, changes: make(chan Change)}
	// The directory above reports that the plugin's directory or file was replaced.
	err = notify.Add(filepath.Dir(real))
	if err == nil {
		err = w.add(real)
	}
	if err == nil {
		w.hash, err = manifest.TreeHash(real)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("watching %s: %w", real, err), notify.Close())
	}
	go w.run()
	return w, nil
}

// Changes returns the saves. Saves that nobody has received yet are reported as one. The channel is closed after Close.
func (w *Watcher) Changes() <-chan Change { return w.changes }

// Close stops watching.
func (w *Watcher) Close() error {
	err := w.notify.Close()
	for range w.changes {
		// The channel is closed when the watcher has ended.
	}
	return err
}

// run collects events until no file changes any more. It ends when notify is closed.
func (w *Watcher) run() {
	defer close(w.changes)
	var pending Change
	var began time.Time // the time of the first event since timer fired; zero if there was none
	var out chan Change // nil until the save is finished
	dirty := false      // content changed since the last report
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	event := func(name string, err error) {
		out, pending.At = nil, time.Now()
		if began.IsZero() {
			began = pending.At
		}
		pending.add(name, err)
		timer.Reset(max(0, min(quiet, time.Until(began.Add(patience)))))
	}
	for {
		select {
		case e, ok := <-w.notify.Events:
			if !ok {
				return
			}
			if name, counts, err := w.take(e); counts {
				event(name, err)
			}
		case err, ok := <-w.notify.Errors:
			if !ok {
				return
			}
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				err = w.add(w.dir) // events were lost, perhaps those of new directories
			}
			event("", err)
		case <-timer.C:
			began = time.Time{}
			if dirty = w.changed() || dirty || pending.Err != nil; dirty {
				out, pending.Files = w.changes, w.remaining(pending.Files)
			} else {
				pending = Change{}
			}
		case out <- pending:
			out, pending, dirty = nil, Change{}, false
		}
	}
}

// add adds a file, unless the name is empty, and an error to a change.
func (c *Change) add(name string, err error) {
	if at, found := slices.BinarySearch(c.Files, name); !found && len(c.Files) < maxNames && name != "" {
		c.Files = slices.Insert(c.Files, at, name)
	}
	if c.Err == nil {
		c.Err = err
	}
}

// remaining returns the files that exist, or all if none does.
func (w *Watcher) remaining(names []string) []string {
	left := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, err := os.Lstat(filepath.Join(w.dir, filepath.FromSlash(name)))
		return err != nil
	})
	if len(left) == 0 {
		return names
	}
	return left
}

// changed reports whether the content of the files differs from what was reported last. Files that cannot be read, such as in
// the middle of a rename, count as changed.
func (w *Watcher) changed() bool {
	hash, err := manifest.TreeHash(w.dir)
	if err != nil {
		hash = ""
	}
	before := w.hash
	w.hash = hash
	return hash == "" || hash != before
}

// take returns the file of an event, and whether the event is about a file of the plugin. It begins to watch new directories.
func (w *Watcher) take(e fsnotify.Event) (name string, counts bool, err error) {
	rel, err := filepath.Rel(w.dir, e.Name)
	if err != nil || e.Op == fsnotify.Chmod || !filepath.IsLocal(rel) || !own(rel) {
		return "", false, nil //nolint:nilerr // a path that is not below the plugin's directory is another plugin's
	}
	if e.Has(fsnotify.Create) {
		err = w.add(e.Name)
	}
	if rel == "." {
		rel = filepath.Base(w.dir)
	}
	return filepath.ToSlash(rel), true, err
}

// own reports whether a relative path belongs to the plugin's own files.
func own(rel string) bool {
	for i, part := range strings.Split(filepath.ToSlash(rel), "/") {
		if part != "." && strings.HasPrefix(part, ".") || i == 0 && part == "vendor" || part == "__pycache__" {
			return false
		}
	}
	return true
}

// add watches the directories at and below a path. What is removed meanwhile is left out, because its removal is an event too.
func (w *Watcher) add(path string) error {
	return filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			return nil
		}
		rel, outside := filepath.Rel(w.dir, at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case outside != nil || !own(rel):
			return fs.SkipDir
		case len(w.notify.WatchList()) > maxDirs:
			return fmt.Errorf("the plugin has more than %d directories, which is the limit; changes in others are missed", maxDirs)
		}
		if err := w.notify.Add(at); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("watching %s: %w; on Linux, sysctl fs.inotify.max_user_watches is the limit of all programs", at, err)
		}
		return nil
	})
}
