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

	"github.com/idelchi/aura/internal/plugin/manifest"
)

const (
	// interval is the shortest time between two looks at the files. Editors save in several steps: they truncate and write, or they
	// write another file and rename it. A save is finished when nothing has changed between two looks.
	interval = 40 * time.Millisecond
	// share is how much longer aura waits than a look takes, so that a large plugin does not keep a processor busy.
	share = 50
	// patience is how long a save may last. Files that change all the time are reported this often.
	patience = 500 * time.Millisecond
	// grain is how exact the times of files are at worst. A file that changed less than this before a look may change again and
	// keep its time.
	grain = 20 * time.Millisecond
	// maxNames is the largest number of files that a Change names.
	maxNames = 20
)

// Change is a finished save.
type Change struct {
	// Files are the paths of changed files, relative to the plugin's directory and sorted; at most 20. Removed files are among
	// them only if there are no others, because editors make files that they remove at once.
	Files []string
	// At is when the last change of the save was seen.
	At time.Time
	// Err is why later changes may be missed; nil if none are.
	Err error
}

// Watcher reports when the files of a plugin were saved. It looks at the files of the plugin without hidden ones and vendor/, and
// follows no links except the plugin's directory itself.
type Watcher struct {
	// dir is the plugin's directory or file, without links.
	dir     string
	changes chan Change
	stop    chan struct{}
	// files is what the last look saw, by the path relative to dir.
	files map[string]fs.FileInfo
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
	w := &Watcher{dir: real, changes: make(chan Change), stop: make(chan struct{})}
	w.files, err = w.look()
	if err == nil {
		w.hash, err = manifest.TreeHash(real)
	}
	if err != nil {
		return nil, fmt.Errorf("watching %s: %w", real, err)
	}
	go w.run()
	return w, nil
}

// Changes returns the saves. Saves that nobody has received yet are reported as one. The channel is closed after Close.
func (w *Watcher) Changes() <-chan Change { return w.changes }

// Close stops watching.
func (w *Watcher) Close() {
	close(w.stop)
	for range w.changes {
		// The channel is closed when the watcher has ended.
	}
}

// run looks at the files until the watcher is closed.
func (w *Watcher) run() {
	defer close(w.changes)
	var pending Change
	var began time.Time // when the first change of an unfinished save was seen; zero if there is none
	var out chan Change // nil until the save is finished
	var failed string   // the error that was reported last
	dirty := false      // content changed since the last report
	timer := time.NewTimer(interval)
	defer timer.Stop()
	for {
		select {
		case <-w.stop:
			return
		case at := <-timer.C:
			names, recent, err := w.compare(at)
			if text := fmt.Sprint(err); len(names) > 0 || text != failed && err != nil {
				failed, out, pending.At = text, nil, at
				pending.add(names, err)
				if began.IsZero() {
					began = at
				}
			}
			if finished := len(names) == 0 && !recent; !began.IsZero() && (finished || at.Sub(began) >= patience) {
				began = time.Time{}
				if dirty = w.changed() || dirty || pending.Err != nil; dirty {
					out, pending.Files = w.changes, w.remaining(pending.Files)
				} else {
					pending = Change{}
				}
			}
			timer.Reset(max(interval, share*time.Since(at)))
		case out <- pending:
			out, pending, dirty = nil, Change{}, false
		}
	}
}

// compare looks at the files, and returns those that differ from the last look, and whether one changed so recently that its time
// says nothing about a further change.
func (w *Watcher) compare(at time.Time) (names []string, recent bool, err error) {
	files, err := w.look()
	if err != nil {
		return nil, false, err
	}
	for name, info := range files {
		before := w.files[name]
		if before == nil || !os.SameFile(before, info) || !info.IsDir() && (before.Size() != info.Size() || !before.ModTime().Equal(info.ModTime())) {
			names = append(names, name)
		}
		recent = recent || !info.IsDir() && at.Sub(info.ModTime()).Abs() < grain
	}
	for name := range w.files {
		if files[name] == nil {
			names = append(names, name)
		}
	}
	w.files = files
	slices.Sort(names)
	return names, recent, nil
}

// look returns the plugin's directory, by its own name, and its files. A file that is removed meanwhile is left out.
func (w *Watcher) look() (map[string]fs.FileInfo, error) {
	files := map[string]fs.FileInfo{}
	err := filepath.WalkDir(w.dir, func(at string, d fs.DirEntry, err error) error {
		rel, outside := filepath.Rel(w.dir, at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case outside != nil:
			return outside
		case !own(rel) && d.IsDir():
			return fs.SkipDir
		case !own(rel) || d.IsDir() && rel != ".":
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if rel == "." {
			rel = filepath.Base(w.dir)
		}
		files[filepath.ToSlash(rel)] = info
		return err
	})
	return files, err
}

// add adds files and an error to a change.
func (c *Change) add(names []string, err error) {
	for _, name := range names {
		if at, found := slices.BinarySearch(c.Files, name); !found && len(c.Files) < maxNames {
			c.Files = slices.Insert(c.Files, at, name)
		}
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

// own reports whether a relative path belongs to the plugin's own files.
func own(rel string) bool {
	for i, part := range strings.Split(filepath.ToSlash(rel), "/") {
		if part != "." && strings.HasPrefix(part, ".") || i == 0 && part == "vendor" || part == "__pycache__" {
			return false
		}
	}
	return true
}
