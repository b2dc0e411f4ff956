package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/internal/limit"
	"github.com/idelchi/aura/internal/lock"
	"github.com/idelchi/aura/internal/redact"
)

// ErrFull reports that a recording has reached its limit. Later calls are not recorded.
var ErrFull = fmt.Errorf("the recording has reached its limit of %d MiB", limit.Recording>>20)

// disk is the part of os.File that a Writer needs.
type disk interface {
	io.WriterAt
	io.Closer
	Sync() error
	Truncate(size int64) error
}

// Writer adds calls to a recording. Its methods may be called from several goroutines. A nil Writer records nothing.
type Writer struct {
	path    string
	secrets func() *redact.Redactor
	limit   int64

	mu   sync.Mutex
	file disk
	lock *lock.Lock
	// size is the offset at which the last complete record ends, in bytes.
	size    int64
	sum     sum
	calls   int
	entries *entries
	// failed is why nothing is recorded any more.
	failed error
}

// Create starts a recording, or continues the one that exists. run names the session. secrets returns the secrets that are removed from
// everything that is written; it may be nil.
func Create(path string, run Run, secrets func() *redact.Redactor) (*Writer, error) {
	w := &Writer{path: path, secrets: secrets, limit: limit.Recording, entries: newEntries()}
	if err := w.open(); err != nil {
		return nil, fmt.Errorf("recording plugin calls: %w", err)
	}
	run.Version = Version
	if run.At.IsZero() {
		run.At = time.Now()
	}
	if err := w.write(record{Run: &run}); err != nil {
		return nil, errors.Join(fmt.Errorf("recording plugin calls: %w", err), w.Close())
	}
	return w, nil
}

// open opens the file for writing after its last complete record.
func (w *Writer) open() error {
	file, err := files.OpenNoFollow(w.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if w.lock, err = lock.TryContent(w.path); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", w.path, err), file.Close())
	}
	w.file = file
	before, err := read(w.path, file)
	if errors.Is(err, errEmpty) {
		before, err = &Recording{}, nil
	}
	if err == nil {
		err = file.Truncate(before.size)
	}
	if err != nil {
		return errors.Join(err, w.Close())
	}
	w.size, w.sum, w.calls = before.size, before.sum, len(before.Calls)
	w.entries.known(before.entries)
	return nil
}

// known continues the numbers of an earlier run.
func (e *entries) known(earlier []json.RawMessage) {
	for _, raw := range earlier {
		e.keep(raw)
	}
	e.fresh = nil
}

// Start records the start of a process. earlier says that the process was called before the recording began.
func (w *Writer) Start(s host.Started, earlier bool) error {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	begun, _, err := hidden(w.hider(), Start{Plugin: s.Plugin, Version: s.Version, Child: s.Child, Env: s.Env, Earlier: earlier, Asked: s.Asked})
	if err != nil {
		return fmt.Errorf("recording the start of plugin %q: %w", s.Plugin, err)
	}
	return w.add(record{Start: &begun})
}

// Call records a call. turn is the number of the model call that it belongs to.
func (w *Writer) Call(turn int, c host.Call) error {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed != nil {
		return nil // it was returned already
	}
	call, err := w.call(c)
	if err != nil {
		return fmt.Errorf("recording a call of plugin %q: %w", c.Plugin, err)
	}
	if fresh := w.entries.fresh; len(fresh) > 0 {
		w.entries.fresh = nil
		if err := w.add(record{Entries: fresh}); err != nil {
			return err
		}
	}
	w.calls++
	call.N, call.Turn = w.calls, turn
	return w.add(record{Call: &call})
}

func (w *Writer) hider() hider {
	if w.secrets == nil {
		return hider{}
	}
	return hider{w.secrets()}
}

// add writes a record. The first failure ends the recording; it is returned once.
func (w *Writer) add(r record) error {
	if w.failed != nil {
		return nil //nolint:nilerr // it was returned already
	}
	err := w.write(r)
	if errors.Is(err, ErrFull) {
		err = errors.Join(err, w.write(record{Full: &struct{}{}}))
	}
	w.failed = err
	return err
}

// write writes a record after the last complete one. It does not wait for the disk: a process that is killed loses nothing that is
// written, and Sync makes it survive a power failure.
func (w *Writer) write(r record) error {
	line, after, err := w.sum.encode(r)
	if err != nil {
		return fmt.Errorf("encoding a record: %w", err)
	}
	if r.Full == nil && w.size+int64(len(line)) > w.limit {
		return ErrFull
	}
	if _, err := w.file.WriteAt(line, w.size); err != nil {
		// If the truncation fails too, readers skip the torn line.
		return errors.Join(fmt.Errorf("writing %s: %w", w.path, err), w.file.Truncate(w.size))
	}
	w.size, w.sum = w.size+int64(len(line)), after
	return nil
}

// Sync returns when all records are on disk.
func (w *Writer) Sync() error {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	file, failed := w.file, w.failed
	w.mu.Unlock()
	if failed != nil {
		return nil
	}
	err := file.Sync() // without the lock, so that calls are recorded meanwhile
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil || w.failed != nil {
		return nil
	}
	w.failed = fmt.Errorf("writing %s: %w", w.path, err)
	return w.failed
}

// Path returns the path of the file, or an empty string for a nil Writer.
func (w *Writer) Path() string {
	if w == nil {
		return ""
	}
	return w.path
}

// Close closes the file.
func (w *Writer) Close() error {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == nil {
		return nil
	}
	err := errors.Join(w.file.Sync(), w.file.Close(), w.lock.Release())
	w.file, w.failed = nil, fs.ErrClosed
	if err != nil {
		return fmt.Errorf("closing %s: %w", w.path, err)
	}
	return nil
}
