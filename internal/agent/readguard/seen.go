// Package readguard records the files whose content the model has seen, so that no file is changed unseen. Built-in tools and
// plugins' tools share one record. Guarded applies the record to a tool.
package readguard

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"sync"
)

// Files is the record of one session. It is safe for concurrent use.
type Files struct {
	workdir string

	mu    sync.Mutex
	marks State
	// fresh holds the changes since the last call of Changes.
	fresh State
}

// State is a record, or a change of a record, as a plain value: marks by resolved path. A nil mark means that the file no
// longer counts as seen.
type State map[string]*Mark

// New returns an empty record. workdir must be absolute; relative paths are resolved against it.
func New(workdir string) *Files {
	return &Files{workdir: workdir, marks: State{}, fresh: State{}}
}

// Record notes that the model has seen a file in its current state.
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

// Guard returns an error with advice if a file exists and the model has not seen its current content. A path that does not
// exist or is not a regular file has no content to see and passes.
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

// current reports whether the model has seen the current content of a file. It does not read files that are not in the record.
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

// Reset removes every file from the record, for example when a new conversation starts.
func (f *Files) Reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for key := range f.marks {
		f.fresh[key] = nil
	}
	clear(f.marks)
}

// Snapshot returns the whole record. The caller owns the map.
func (f *Files) Snapshot() State {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.marks)
}

// Changes returns the changes since its last call, for an append-only journal. It returns nil if there are none. The caller
// owns the map.
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

// Restore applies the results of Snapshot and Changes. They must be applied in their original order. Changes does not report
// restored marks.
func (f *Files) Restore(state State) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for key, mark := range state {
		f.set(key, mark)
		delete(f.fresh, key)
	}
}

// mark returns the mark of a file, or nil if the file counts as unseen.
func (f *Files) mark(key string) *Mark {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.marks[key]
}

// replace sets the mark of a file if its current mark is then. It reports whether it did. It therefore does not restore a mark
// after Reset.
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

// put sets a mark. A nil mark removes it.
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

// spelled returns a path for messages. It is relative if it is below the working directory.
func (f *Files) spelled(path string) string {
	if relative, err := filepath.Rel(f.workdir, f.absolute(path)); err == nil && filepath.IsLocal(relative) {
		return relative
	}
	return path
}
