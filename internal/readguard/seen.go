// Package readguard keeps the record of the files whose content the model has seen, so that none is changed unseen. Built-in
// tools and those of plugins share one record; Guarded puts it around a tool.
package readguard

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"sync"
)

// Files is the record of one session. It may be used from several goroutines.
type Files struct {
	workdir string

	mu    sync.Mutex
	marks State
	// fresh is what has changed since Changes was last called.
	fresh State
}

// State is a record, or a change of one, as a plain value: marks by resolved path. A nil mark is a file that no longer
// counts as seen.
type State map[string]*Mark

// New returns an empty record. Relative paths are resolved against workdir, an absolute path.
func New(workdir string) *Files {
	return &Files{workdir: workdir, marks: State{}, fresh: State{}}
}

// Record notes that the model has seen a file as it is now.
func (f *Files) Record(path string) error {
	key, err := resolve(f.absolute(path))
	if err != nil {
		return fmt.Errorf("recording %s as seen: %w", f.spelled(path), err)
	}
	mark, err := look(key)
	if err != nil {
		return fmt.Errorf("recording %s as seen: %w", f.spelled(path), err)
	}
	f.put(key, &mark)
	return nil
}

// Clear makes a file count as unseen.
func (f *Files) Clear(path string) error {
	key, err := resolve(f.absolute(path))
	if err != nil {
		return fmt.Errorf("recording %s as unseen: %w", f.spelled(path), err)
	}
	f.put(key, nil)
	return nil
}

// Guard returns an error that says what to do if a file exists and the model has not seen it as it is now. What does not
// exist or is no regular file has nothing to be seen and passes.
func (f *Files) Guard(path string) error {
	key, err := resolve(f.absolute(path))
	if err != nil {
		return fmt.Errorf("checking that %s has been read: %w", f.spelled(path), err)
	}
	now, err := look(key)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errDirectory), errors.Is(err, errIrregular):
		return nil
	case err != nil:
		return fmt.Errorf("checking that %s has been read: %w", f.spelled(path), err)
	}
	then := f.mark(key)
	switch {
	case then == nil:
		return fmt.Errorf("%s exists and has not been read; read it first", f.spelled(path))
	case !then.same(now):
		return fmt.Errorf("%s has changed on disk since it was read; read it again first", f.spelled(path))
	default:
		return nil
	}
}

// current reports whether the model has seen a file as it is now. Of what it has not seen at all, nothing is read.
func (f *Files) current(path string) bool {
	key, err := resolve(f.absolute(path))
	if err != nil {
		return false
	}
	then := f.mark(key)
	if then == nil {
		return false
	}
	now, err := look(key)
	return err == nil && then.same(now)
}

// Reset forgets every file, as when a conversation begins anew.
func (f *Files) Reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for key := range f.marks {
		f.fresh[key] = nil
	}
	clear(f.marks)
}

// Snapshot returns the whole record. The map is the caller's.
func (f *Files) Snapshot() State {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.marks)
}

// Changes returns what has changed since the last call, for a journal that is only added to; nil if nothing has. The map
// is the caller's.
func (f *Files) Changes() State {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.fresh) == 0 {
		return nil
	}
	out := f.fresh
	f.fresh = State{}
	return out
}

// Restore applies what Snapshot or Changes returned, in the order in which they did. It is no change itself.
func (f *Files) Restore(state State) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for key, mark := range state {
		f.set(key, mark)
		delete(f.fresh, key)
	}
}

// mark is what is known of a file; nil if it counts as unseen.
func (f *Files) mark(key string) *Mark {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.marks[key]
}

// replace sets the mark of a file that still has another one, and reports whether it had. A record that was reset stays so.
func (f *Files) replace(key string, then, now Mark) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if old := f.marks[key]; old == nil || *old != then {
		return false
	}
	f.set(key, &now)
	f.fresh[key] = &now
	return true
}

// put sets or, with nil, drops a mark.
func (f *Files) put(key string, mark *Mark) {
	f.mu.Lock()
	defer f.mu.Unlock()
	old := f.marks[key]
	if old == nil && mark == nil || old != nil && mark != nil && *old == *mark {
		return
	}
	f.set(key, mark)
	f.fresh[key] = mark
}

func (f *Files) set(key string, mark *Mark) {
	if mark == nil {
		delete(f.marks, key)
		return
	}
	f.marks[key] = mark
}

func (f *Files) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(f.workdir, path)
}

// spelled returns a path as messages have it: relative if it lies below the working directory.
func (f *Files) spelled(path string) string {
	if relative, err := filepath.Rel(f.workdir, f.absolute(path)); err == nil && filepath.IsLocal(relative) {
		return relative
	}
	return path
}
