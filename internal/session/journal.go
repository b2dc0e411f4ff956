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

	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/lock"
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

// Journal is the durable record of one conversation. It belongs to one conversation, which alone writes to it; Close may
// come from another goroutine. A nil Journal keeps nothing: all its methods do nothing and succeed.
type Journal struct {
	id   string
	path string

	mu     sync.Mutex
	file   disk
	lock   *lock.Lock
	closed bool
	// size is where the last complete record ends.
	size int64
	// hide takes secrets out of what is written; nil leaves everything as it is.
	hide func(document []byte) []byte
	// torn is set while bytes of a failed write may lie beyond size.
	torn bool
}

// Create starts a journal in dir, which is made if need be. The file is readable by its owner alone.
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
	if err := errors.Join(j.write(record{Meta: &meta}), syncDir(dir)); err != nil {
		return nil, errors.Join(err, j.release(), os.Remove(path))
	}
	return j, nil
}

// Reopen goes on with a session that has ended or was killed. A last line that was written only in part is removed. While one
// aura has a session open, no other can open it.
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
	j.id, j.size, j.torn = s.Meta.ID, size, s.Torn
	if err := j.write(record{Resume: &Resume{At: time.Now()}}); err != nil {
		return nil, Session{}, errors.Join(err, j.release())
	}
	return j, s, nil
}

// Compact records that all messages but the last kept were replaced by a summary. It is as durable as Append.
func (j *Journal) Compact(summary llm.Message, kept int) error {
	return j.add(record{Compaction: &Compaction{Summary: summary, Kept: kept}})
}

// Rewind records that all messages but the first keep were taken back. It is as durable as Append.
func (j *Journal) Rewind(keep int) error { return j.add(record{Rewind: &Rewind{Keep: keep}}) }

// See records what has become known of files. It is as durable as Append.
func (j *Journal) See(files json.RawMessage) error { return j.add(record{Seen: files}) }

// Note records what the session is like from here on. It is as durable as Append.
func (j *Journal) Note(s State) error { return j.add(record{State: &s}) }

// ID is the session's id, empty for a nil Journal.
func (j *Journal) ID() string {
	if j == nil {
		return ""
	}
	return j.id
}

// Path is the journal's file, empty for a nil Journal.
func (j *Journal) Path() string {
	if j == nil {
		return ""
	}
	return j.path
}

// Hide takes secrets out of all records from here on. The function is given JSON and returns JSON.
func (j *Journal) Hide(secrets func(document []byte) []byte) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.hide = secrets
}

// Append adds a message. When it returns nil the message is on disk; when it fails the journal is as before the call and
// the message may be appended again.
func (j *Journal) Append(m llm.Message) error {
	if j != nil && j.hide != nil && len(m.ThinkingBlocks) > 0 && j.hides(m.Thinking) {
		// A service refuses thinking that it signed and that has changed since.
		m.ThinkingBlocks = nil
	}
	return j.add(toRecord(m))
}

// hides reports whether a text has secrets.
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

// Discard removes the journal, for a session that never began.
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

// release closes the file and lets others open the session.
func (j *Journal) release() error { return errors.Join(j.file.Close(), j.lock.Release()) }

// write puts a record behind the last complete one with a single write and waits until it is on disk. It writes at an
// offset and not by appending, so that the rest of a failed write is never taken for a part of the next record.
func (j *Journal) write(r record) error {
	line, err := encode(r)
	if err != nil {
		return fmt.Errorf("encoding record for journal %s: %w", j.path, err)
	}
	if j.hide != nil {
		line = j.hide(line)
	}
	if j.torn {
		if err := j.file.Truncate(j.size); err != nil {
			return fmt.Errorf("repairing journal %s: %w", j.path, err)
		}
		j.torn = false
	}
	_, err = j.file.WriteAt(line, j.size)
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		// If this fails too, the next write tries again and readers skip the torn line.
		j.torn = j.file.Truncate(j.size) != nil
		return fmt.Errorf("writing journal %s: %w", j.path, err)
	}
	j.size += int64(len(line))
	return nil
}

// encode makes one line of a record. JSON holds no newline, so the line is the record.
func encode(r record) ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(r); err != nil {
		return nil, err
	}
	return line.Bytes(), nil
}
