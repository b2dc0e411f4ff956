// Package pluginstate keeps the small values that plugins ask aura to keep. Each plugin has a file per scope. A change replaces the
// file, so a reader sees the values before or after the change, and a change that was reported as done survives a crash.
package pluginstate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/lock"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// lockTime is how long a change waits for another aura that changes the same file.
const lockTime = 5 * time.Second

// maxFile is the size of the largest file, in bytes: JSON may need six bytes for one byte of a value.
const maxFile = 8 * sdk.MaxStateBytes

// Store keeps the values of all plugins of one session. Its methods may be called from several goroutines.
type Store struct {
	// project is the directory of the project's scope. session returns the directory of the session's scope, which changes when
	// another session is resumed. An empty directory keeps the values of the scope in memory.
	project string
	session func() string

	// memory holds what no directory keeps. changing holds a lock for each file that was changed: a plugin whose file another aura has locked
	// does not keep the others waiting. mu protects both maps.
	mu       sync.Mutex
	memory   map[string]map[string]string
	changing map[string]*sync.Mutex
}

// New returns a store. See Store for the arguments.
func New(project string, session func() string) *Store {
	return &Store{project: project, session: session, memory: make(map[string]map[string]string), changing: make(map[string]*sync.Mutex)}
}

// Do changes or reads a value of a plugin. A change is on disk when Do returns.
func (s *Store) Do(ctx context.Context, plugin string, r shared.StateRequest) (shared.StateAnswer, error) {
	if doing[r.Op] == "" {
		return shared.StateAnswer{}, fmt.Errorf("asking for state of plugin %q: %q is no operation", plugin, r.Op)
	}
	answer, err := s.do(ctx, plugin, r)
	if err != nil {
		return answer, fmt.Errorf("%s state of plugin %q (scope %s): %w", doing[r.Op], plugin, r.Scope, err)
	}
	return answer, nil
}

// doing says what each operation does, for messages.
var doing = map[shared.StateOp]string{
	shared.StateGet: "reading", shared.StateSet: "changing", shared.StateDelete: "changing", shared.StateList: "reading",
}

func (s *Store) do(ctx context.Context, plugin string, r shared.StateRequest) (shared.StateAnswer, error) {
	dir, err := s.dir(r.Scope)
	if err != nil {
		return shared.StateAnswer{}, err
	}
	f := file{path: filepath.Join(dir, plugin+".json")}
	if dir == "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		f = file{values: s.memory[string(r.Scope)+"/"+plugin], inMemory: true}
	} else if r.Op == shared.StateSet || r.Op == shared.StateDelete {
		defer s.lockFile(f.path)()
	}
	if r.Op == shared.StateSet || r.Op == shared.StateDelete {
		err := f.change(ctx, r)
		if f.inMemory && err == nil {
			s.memory[string(r.Scope)+"/"+plugin] = f.values
		}
		return shared.StateAnswer{}, err
	}
	if err := f.read(); err != nil {
		return shared.StateAnswer{}, err
	}
	if r.Op == shared.StateGet {
		value, found := f.values[r.Key]
		return shared.StateAnswer{Value: value, Found: found}, nil
	}
	var keys []string
	for key := range f.values {
		if strings.HasPrefix(key, r.Key) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return shared.StateAnswer{Keys: keys}, nil
}

// lockFile locks a file for this process, and returns a function that unlocks it.
func (s *Store) lockFile(path string) (unlock func()) {
	s.mu.Lock()
	mu := s.changing[path]
	if mu == nil {
		mu = new(sync.Mutex)
		s.changing[path] = mu
	}
	s.mu.Unlock()
	mu.Lock()
	return mu.Unlock
}

func (s *Store) dir(scope sdk.Scope) (string, error) {
	switch scope {
	case sdk.ScopeProject:
		return s.project, nil
	case sdk.ScopeSession:
		return s.session(), nil
	default:
		return "", fmt.Errorf("there is no such scope; use %s or %s", sdk.ScopeSession, sdk.ScopeProject)
	}
}

// file holds the values of one plugin in one scope.
type file struct {
	path     string
	values   map[string]string
	inMemory bool
}

// read reads the values. A file that does not exist has none.
func (f *file) read() error {
	if f.inMemory {
		return nil
	}
	text, err := files.ReadNoFollow(f.path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &f.values); err != nil {
		return fmt.Errorf("%s is damaged; remove it to begin anew: %w", f.path, err)
	}
	return nil
}

// change sets or deletes a value. While it works, no other aura changes the file.
func (f *file) change(ctx context.Context, r shared.StateRequest) (err error) {
	if err := check(r); err != nil {
		return err
	}
	if !f.inMemory {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, lockTime)
		defer cancel()
		held, err := lock.Wait(ctx, f.path+".lock", func() {})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, held.Release()) }()
		if err := f.read(); err != nil {
			return err
		}
	}
	next := maps.Clone(f.values)
	if next == nil {
		next = make(map[string]string)
	}
	if r.Op == shared.StateSet {
		next[r.Key] = r.Value
	} else {
		delete(next, r.Key)
	}
	if err := fits(next); err != nil {
		return err
	}
	f.values = next
	if f.inMemory {
		return nil
	}
	text, err := json.Marshal(next)
	if err != nil {
		return err
	}
	if err := files.Replace(f.path, text, 0o600); err != nil {
		return err
	}
	return files.SyncDir(filepath.Dir(f.path))
}

// check reports a key or a value that cannot be kept.
func check(r shared.StateRequest) error {
	switch {
	case r.Key == "":
		return errors.New("the key is empty")
	case len(r.Key) > sdk.MaxStateKey:
		return fmt.Errorf("a key of %d bytes is longer than the limit of %d", len(r.Key), sdk.MaxStateKey)
	case len(r.Value) > sdk.MaxStateValue:
		return fmt.Errorf("the value of %q has %d bytes, more than the limit of %d KiB", r.Key, len(r.Value), sdk.MaxStateValue>>10)
	case !utf8.ValidString(r.Key) || !utf8.ValidString(r.Value):
		return errors.New("keys and values must be valid UTF-8; encode other bytes, for example with encoding/base64")
	default:
		return nil
	}
}

// fits reports values that are too many or too large together.
func fits(values map[string]string) error {
	if len(values) > sdk.MaxStateKeys {
		return fmt.Errorf("more than %d keys", sdk.MaxStateKeys)
	}
	size := 0
	for key, value := range values {
		size += len(key) + len(value)
	}
	if size > sdk.MaxStateBytes {
		return fmt.Errorf("keys and values of %d bytes together are more than the limit of %d MiB", size, sdk.MaxStateBytes>>20)
	}
	return nil
}

// Copy copies the values of a session to a directory that does not exist yet. It is no error if the session has none.
func Copy(from, to string) error {
	names, err := filepath.Glob(filepath.Join(from, "*.json"))
	if err != nil || len(names) == 0 {
		return err
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return fmt.Errorf("copying the state of plugins: %w", err)
	}
	for _, name := range names {
		text, err := files.ReadNoFollow(name, maxFile)
		if err == nil {
			err = files.Replace(filepath.Join(to, filepath.Base(name)), text, 0o600)
		}
		if err != nil {
			return fmt.Errorf("copying the state of plugins: %w", err)
		}
	}
	return nil
}
