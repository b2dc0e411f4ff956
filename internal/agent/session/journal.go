package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/lock"
)

// Ext is the extension of a journal's file name.
const Ext = ".jsonl"

// disk is the part of os.File that a journal needs.
type disk interface {
	io.WriterAt
	io.Closer
	Sync() error
	Truncate(size int64) error
}

// Journal is the durable record of one conversation. Only that conversation writes to the journal; Close may be called from
// another goroutine. A nil Journal stores nothing: all its methods do nothing and succeed.
type Journal struct {
	id   string
	path string

	mu     sync.Mutex
	file   disk
	lock   *lock.Lock
	closed bool
	// size is the offset at which the last complete record ends, in bytes.
	size int64
	// hide removes secrets from the records before they are written; nil writes records unchanged.
	hide func(document []byte) []byte
	// data holds the numbers of the files that the journal has. Only Append uses it.
	data map[hash]int
	// facts is the size of the facts, in bytes.
	facts int64
	// torn is set while the file may contain bytes of a failed write beyond size.
	torn bool
}

// Create starts a journal in dir, and creates dir if necessary. Only the owner can read the file.
func Create(dir string, meta Meta) (*Journal, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("creating directory for sessions: %w", err)
	}
	now := time.Now()
	meta.ID = newID(now)
	if meta.StartedAt.IsZero() {
		meta.StartedAt = now
	}
	path := filepath.Join(dir, meta.ID+Ext)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("creating journal of the session: %w", err)
	}
	held, err := lock.TryContent(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("creating journal of the session: %w", err), file.Close(), os.Remove(path))
	}
	j := &Journal{id: meta.ID, path: path, file: file, lock: held}
	if err := errors.Join(j.write(record{Meta: &meta}), files.SyncDir(dir)); err != nil {
		return nil, errors.Join(err, j.release(), os.Remove(path))
	}
	return j, nil
}

// Reopen continues a session that has ended or was killed. It removes an incomplete last line. While one aura process has a
// session open, no other process can open it.
func Reopen(path string) (*Journal, Session, error) {
	file, err := files.OpenNoFollow(path, os.O_RDWR, 0)
	if err != nil {
		return nil, Session{}, fmt.Errorf("reopening journal: %w", err)
	}
	held, err := hold(path)
	if err != nil {
		return nil, Session{}, errors.Join(fmt.Errorf("reopening journal %s: %w", path, err), file.Close())
	}
	j := &Journal{path: path, file: file, lock: held}
	s, size, err := parse(path, file, nil)
	if err != nil {
		return nil, Session{}, errors.Join(fmt.Errorf("reopening journal: %w", err), j.release())
	}
	j.id, j.size, j.torn, j.data, j.facts = s.Meta.ID, size, s.Torn, numbered(s.data), s.facts
	if err := j.write(record{Resume: &Resume{At: time.Now()}}); err != nil {
		return nil, Session{}, errors.Join(err, j.release())
	}
	return j, s, nil
}

// Compact records that all messages except the last kept were replaced by a summary. It is as durable as Append.
func (j *Journal) Compact(summary llm.Message, kept int) error {
	return j.add(record{Compaction: &Compaction{Summary: summary, Kept: kept}})
}

// Rewind records that all messages except the first keep were removed. It is as durable as Append.
func (j *Journal) Rewind(keep int) error { return j.add(record{Rewind: &Rewind{Keep: keep}}) }

// See records what was learned about files. It is as durable as Append.
func (j *Journal) See(files json.RawMessage) error { return j.add(record{Seen: files}) }

// Note records the state of the session from now on. It is as durable as Append.
func (j *Journal) Note(s State) error { return j.add(record{State: &s}) }

// ID returns the session's id, or an empty string for a nil Journal.
func (j *Journal) ID() string {
	if j == nil {
		return ""
	}
	return j.id
}

// Path returns the path of the journal's file, or an empty string for a nil Journal.
func (j *Journal) Path() string {
	if j == nil {
		return ""
	}
	return j.path
}

// Hide removes secrets from all later records. The function receives JSON and returns JSON.
func (j *Journal) Hide(secrets func(document []byte) []byte) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.hide = secrets
}

// Append adds a message. If Append returns nil, the message is on disk. If Append fails, the journal is unchanged and the
// caller may append the message again.
func (j *Journal) Append(m llm.Message) error {
	if j != nil && j.hide != nil && len(m.ThinkingBlocks) > 0 && j.hides(m.Thinking) {
		// A service rejects signed thinking that was changed after it was signed.
		m.ThinkingBlocks = nil
	}
	if j == nil {
		return nil
	}
	parts, err := j.keepParts(m.Parts)
	if err != nil {
		return err
	}
	return j.add(toRecord(m, parts...))
}

// hides reports whether a text contains secrets.
func (j *Journal) hides(text string) bool {
	document, err := json.Marshal(text)
	return err != nil || !bytes.Equal(j.hide(document), document)
}

func (j *Journal) add(r record) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return fmt.Errorf("writing journal %s: %w", j.path, os.ErrClosed)
	}
	return j.write(r)
}

// Discard removes the journal of a session that never began.
func (j *Journal) Discard() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	if err := errors.Join(os.Remove(j.path), j.release()); err != nil {
		return fmt.Errorf("removing journal %s: %w", j.path, err)
	}
	return nil
}

// Close adds the final record and closes the file. Only the first call does anything.
func (j *Journal) Close(end End) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	if end.At.IsZero() {
		end.At = time.Now()
	}
	err := j.write(record{End: &end})
	if closing := j.release(); closing != nil {
		err = errors.Join(err, fmt.Errorf("closing journal %s: %w", j.path, closing))
	}
	return err
}

// release closes the file and the lock, so that other processes can open the session.
func (j *Journal) release() error { return errors.Join(j.file.Close(), j.lock.Release()) }

// write writes a record and waits until it is on disk, with all records before it.
func (j *Journal) write(r record) error {
	size := j.size
	err := j.put(r)
	if err != nil {
		return err
	}
	if err := j.file.Sync(); err != nil {
		j.size = size
		// If the truncation fails too, the next write tries it again, and readers skip the torn line.
		j.torn = j.file.Truncate(j.size) != nil
		return fmt.Errorf("writing journal %s: %w", j.path, err)
	}
	return nil
}

// put writes a record after the last complete one with a single write. It writes at an offset instead of appending, so that the
// remains of a failed write never become part of the next record.
func (j *Journal) put(r record) error {
	line, err := encode(r)
	if err != nil {
		return fmt.Errorf("encoding record for journal %s: %w", j.path, err)
	}
	if j.hide != nil && r.Data == nil {
		line = j.hide(line)
	}
	if j.torn {
		if err := j.file.Truncate(j.size); err != nil {
			return fmt.Errorf("repairing journal %s: %w", j.path, err)
		}
		j.torn = false
	}
	if _, err = j.file.WriteAt(line, j.size); err != nil {
		j.torn = j.file.Truncate(j.size) != nil
		return fmt.Errorf("writing journal %s: %w", j.path, err)
	}
	j.size += int64(len(line))
	return nil
}

// encode returns a record as one line. Encoded JSON contains no newline, so each line is one record.
func encode(r record) ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(r); err != nil {
		return nil, err
	}
	return line.Bytes(), nil
}
