package recording

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/lock"
	"github.com/idelchi/aura/internal/base/redact"
)

// ErrFull reports that a recording has reached its limit. Later calls are not recorded.
var ErrFull = fmt.Errorf("the recording has reached its limit of %d MiB", limit.Recording>>20)

// queued is the number of tasks that wait for the goroutine of a Writer before callers do, buffered the number of bytes from which on lines
// are written before all tasks are done, and reserve the number of zeros that are written at once.
const (
	queued   = 64
	buffered = 256 << 10
	reserve  = 64 << 10
)

// Writer adds calls to a recording. A goroutine of the Writer encodes and writes them in their order, so that a conversation does not wait
// for that. Callers must not change what they passed. An error of the goroutine is returned by the next method that is called. The methods
// may be called from several goroutines. A nil Writer records nothing.
type Writer struct {
	path    string
	secrets func() *redact.Redactor
	limit   int64
	lock    *lock.Lock

	mu sync.Mutex
	// tasks wait for the goroutine, which waits for due or closed; both are signalled by changed. ended is closed when the goroutine ends.
	tasks       []func() error
	due, closed bool
	changed     sync.Cond
	ended       chan struct{}
	// calls says that one of the tasks records something that must be durable. done is closed when all tasks are done and durable, and
	// busy when those are that the goroutine has taken.
	calls      bool
	done, busy chan struct{}
	// timer wakes the goroutine for tasks that nothing else wakes it for.
	timer *time.Timer
	// faults are the errors of the goroutine that no method has returned yet.
	faults error

	// The fields below belong to the goroutine.

	file *os.File
	// size is the offset at which the last complete record ends, and reserved the size of the file, in bytes. There are zeros between
	// them: to make a write durable that does not extend the file, a file system needs no entry in its own log.
	size, reserved int64
	sum            sum
	// lines are the lines that are written next, with one system call.
	lines []byte
	// raw is the memory for the values of the call that is encoded.
	raw     []byte
	count   int
	entries *entries
	// failed is why nothing is recorded any more.
	failed error
}

// Create starts a recording, or continues the one that exists. run names the session. secrets returns the secrets that are removed from
// everything that is written; it may be nil.
func Create(path string, run Run, secrets func() *redact.Redactor) (*Writer, error) {
	w := &Writer{path: path, secrets: secrets, limit: limit.Recording, entries: newEntries(), ended: make(chan struct{}), done: make(chan struct{}), busy: make(chan struct{})}
	close(w.busy)
	w.changed.L = &w.mu
	if err := w.open(); err != nil {
		return nil, fmt.Errorf("recording plugin calls: %w", err)
	}
	run.Version = Version
	if run.At.IsZero() {
		run.At = time.Now()
	}
	if err := errors.Join(w.write(record{Run: &run}), w.flush()); err != nil {
		return nil, errors.Join(fmt.Errorf("recording plugin calls: %w", err), w.release())
	}
	w.timer = time.AfterFunc(writeAfter, w.elapsed)
	go w.work()
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
		return errors.Join(err, w.release())
	}
	w.size, w.reserved, w.sum, w.count = before.size, before.size, before.sum, len(before.Calls)
	w.entries.known(before.entries)
	return nil
}

// work does the tasks until the Writer is closed. It makes all records of the tasks that it takes together durable at once.
func (w *Writer) work() {
	defer close(w.ended)
	w.mu.Lock()
	defer w.mu.Unlock()
	var spare []func() error
	for {
		for !w.due && !w.closed {
			w.changed.Wait()
		}
		tasks, calls := w.tasks, w.calls
		if len(tasks) == 0 && w.closed {
			return
		}
		w.tasks, w.calls, w.due = spare[:0], false, false
		w.busy, w.done = w.done, make(chan struct{})
		w.changed.Broadcast() // callers that wait for room
		w.mu.Unlock()
		var faults error
		for _, task := range tasks {
			faults = errors.Join(faults, task())
		}
		faults = errors.Join(faults, w.finish(calls))
		clear(tasks)
		spare = tasks
		w.mu.Lock()
		w.faults = errors.Join(w.faults, faults)
		close(w.busy)
	}
}

// finish writes the lines of the tasks, and makes all records durable if sync is set. The first failure ends the recording.
func (w *Writer) finish(sync bool) error {
	err := w.flush()
	if err == nil && sync && w.failed == nil {
		if err = files.SyncData(w.file); err != nil {
			err = fmt.Errorf("writing %s: %w", w.path, err)
		}
	}
	if err != nil {
		w.failed = err
	}
	return err
}

// urgency says when the goroutine does a task.
type urgency int

const (
	// soon: the goroutine is woken, which costs as much as some tasks.
	soon urgency = iota
	// later: together with the next task that is done soon, or when somebody waits for it.
	later
	// attached: as later, but nobody waits. The record is made durable together with the next one, without which it has no use.
	attached
)

// writeAfter is how long a task waits if nothing else wakes the goroutine.
const writeAfter = 10 * time.Millisecond

// do hands a task to the goroutine, and returns the errors that no method has returned yet. A closed Writer does nothing.
func (w *Writer) do(when urgency, task func() error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.tasks) >= queued && !w.closed {
		w.wake()
		w.changed.Wait()
	}
	if w.closed {
		return w.fault()
	}
	w.tasks = append(w.tasks, task)
	w.calls = w.calls || when != attached
	switch {
	case when == soon:
		w.wake()
	case len(w.tasks) == 1:
		w.timer.Reset(writeAfter)
	}
	return w.fault()
}

// wake wakes the goroutine. The caller holds the lock.
func (w *Writer) wake() {
	w.due = true
	w.changed.Broadcast()
}

// elapsed wakes the goroutine if a task waits.
func (w *Writer) elapsed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.tasks) > 0 {
		w.wake()
	}
}

// fault returns the errors that no method has returned yet. The caller holds the lock.
func (w *Writer) fault() error {
	err := w.faults
	w.faults = nil
	return err
}

// Start records the start of a process. earlier says that the process was called before the recording began.
func (w *Writer) Start(s host.Started, earlier bool) error {
	if w == nil {
		return nil
	}
	return w.do(later, func() error {
		begun, _, err := hidden(w.hider(), Start{Plugin: s.Plugin, Version: s.Version, Child: s.Child, Env: s.Env, Earlier: earlier, Asked: s.Asked})
		if err != nil {
			return fmt.Errorf("recording the start of plugin %q: %w", s.Plugin, err)
		}
		return w.add(record{Start: &begun})
	})
}

// Call records a call. turn is the number of the model call that it belongs to. many says that the call is one of many for the same
// answer, which are written together.
func (w *Writer) Call(turn int, c host.Call, many bool) error {
	if w == nil {
		return nil
	}
	at, when := time.Now().Round(0), soon
	if many {
		when = later
	}
	return w.do(when, func() error {
		if w.failed != nil {
			return nil //nolint:nilerr // it was returned already
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
		w.count++
		call.N, call.Turn, call.At = w.count, turn, at
		return w.add(record{Call: &call})
	})
}

func (w *Writer) hider() hider {
	if w.secrets == nil {
		return hider{memory: &w.raw}
	}
	return hider{w.secrets(), &w.raw}
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

// write adds a record to the lines that are written next. It does not wait for the disk: a process that is killed loses nothing that is
// written, and Sync makes it survive a power failure.
func (w *Writer) write(r record) error {
	lines, after, err := w.sum.encode(w.lines, r)
	if err != nil {
		return fmt.Errorf("encoding a record: %w", err)
	}
	if r.Full == nil && w.size+int64(len(lines)) > w.limit {
		return ErrFull
	}
	w.lines, w.sum = lines, after
	if len(w.lines) > buffered {
		return w.flush()
	}
	return nil
}

// flush writes the lines after the last complete record.
func (w *Writer) flush() error {
	if len(w.lines) == 0 {
		return nil
	}
	end := w.size + int64(len(w.lines))
	err := w.put(w.lines, end)
	w.lines = spare(w.lines)
	if err != nil {
		w.reserved = w.size
		// If the truncation fails too, readers skip the torn line.
		return errors.Join(fmt.Errorf("writing %s: %w", w.path, err), w.file.Truncate(w.size))
	}
	w.size = end
	return nil
}

// zeros reserve space.
var zeros [reserve]byte

// put writes lines that end at the offset end, and reserves space behind lines that extend the file.
func (w *Writer) put(lines []byte, end int64) error {
	if _, err := w.file.WriteAt(lines, w.size); err != nil || end <= w.reserved {
		return err
	}
	w.reserved = end
	if _, err := w.file.WriteAt(zeros[:], end); err == nil { // a disk without room for the zeros may have room for lines
		w.reserved += reserve
	}
	return nil
}

// Sync returns a channel that is closed when all calls so far are durable, and the errors that no method has returned yet. Prompts and
// answers become durable with the next call, or when the Writer is closed.
func (w *Writer) Sync() (<-chan struct{}, error) {
	if w == nil {
		return nothing, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.calls || w.closed {
		return w.busy, w.fault()
	}
	w.wake()
	return w.done, w.fault()
}

// nothing is closed.
var nothing = func() chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}()

// Path returns the path of the file, or an empty string for a nil Writer.
func (w *Writer) Path() string {
	if w == nil {
		return ""
	}
	return w.path
}

// Close writes what waits, and closes the file.
func (w *Writer) Close() error {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	closed := w.closed
	w.closed = true
	w.timer.Stop()
	w.changed.Broadcast()
	w.mu.Unlock()
	<-w.ended
	if closed {
		return nil
	}
	err := errors.Join(w.file.Truncate(w.size), w.file.Sync(), w.release())
	if err != nil {
		err = fmt.Errorf("closing %s: %w", w.path, err)
	}
	return errors.Join(w.faults, err)
}

// release closes the file and the lock.
func (w *Writer) release() error { return errors.Join(w.file.Close(), w.lock.Release()) }
