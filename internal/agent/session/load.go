package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/files"
)

// Load reads a journal back. It omits an incomplete last line and reports it in Session.Torn. Any other damaged line is an
// error.
func Load(path string) (Session, error) { return read(path, nil) }

// read is like Load, but calls reduce, which may change each record before it is added to the session. It skips the records with
// the bytes of files, so reduce must remove the references to them.
func read(path string, reduce func(*Session, *record)) (Session, error) {
	file, err := files.OpenNoFollow(path, os.O_RDONLY, 0)
	if err != nil {
		return Session{}, fmt.Errorf("reading journal: %w", err)
	}
	defer func() { _ = file.Close() }()
	s, _, err := parse(path, file, reduce)
	if err != nil {
		return Session{}, fmt.Errorf("reading journal: %w", err)
	}
	return s, nil
}

// parse is like read for an open journal. It also returns the offset at which the last complete record ends, in bytes.
func parse(path string, from io.Reader, reduce func(*Session, *record)) (Session, int64, error) {
	c := scan{path: path, reduce: reduce}
	if err := c.read(from); err != nil {
		return Session{}, 0, err
	}
	return c.s, c.size, nil
}

// scan reads the records of a journal in order. It continues where it stopped: each read begins with the record at size.
type scan struct {
	path string
	s    Session
	// size is the offset at which the last complete record ends, in bytes. number is how many records were read.
	size   int64
	number int
	// reduce may change each record before it is added to the session; nil changes nothing.
	reduce func(*Session, *record)
	// fact receives the line of each fact, and added each other record after it was added, with its place in the file. Both may be nil.
	fact  func(line []byte, at span) error
	added func(r *record, at span)
}

// span is the place of a record in a journal, in bytes.
type span struct{ offset, length int64 }

// read reads all complete records that follow.
func (c *scan) read(from io.Reader) error {
	lines := newLines(from)
	c.s.Torn = false
	for {
		line, complete, err := lines.next(c.s.Meta.ID == "")
		if err == nil && len(line) == 0 && !complete {
			break
		}
		at := span{c.size, int64(len(line)) + 1}
		if err == nil {
			var torn bool
			if torn, err = c.line(line, complete, at, lines); torn {
				c.s.Torn = true
				break
			}
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", c.path, c.number+1, err)
		}
		c.number++
		c.size += at.length
	}
	if c.s.Meta.ID == "" {
		return fmt.Errorf("%s: %w", c.path, errUnbegun)
	}
	// Directories are named by the id, so an id in a foreign file must not lead to another directory.
	c.s.Meta.ID = idOf(c.path)
	return nil
}

// line adds the record of a line. torn reports whether it is the last line and incomplete.
func (c *scan) line(line []byte, complete bool, at span, lines *lines) (torn bool, err error) {
	begun := complete && c.s.Meta.ID != ""
	if begun && c.reduce != nil && bytes.HasPrefix(line, dataStart) {
		// Decoding the bytes of files takes most of the time, and whoever reduces the records needs none of them.
		return false, nil
	}
	if begun && bytes.HasPrefix(line, factStart) && !lines.ended() {
		c.s.facts += at.length
		if c.fact != nil {
			return false, c.fact(line, at)
		}
		return false, nil
	}
	r, err := decode(line)
	if lines.ended() && (!complete || err != nil) {
		return true, nil //nolint:nilerr // what is torn is left out
	}
	if err != nil {
		return false, err
	}
	if r.Fact != nil && c.fact != nil {
		return false, c.fact(line, at)
	}
	if c.reduce != nil {
		c.reduce(&c.s, &r)
	}
	if err := c.s.add(r); err != nil {
		return false, err
	}
	if c.added != nil {
		c.added(&r, at)
	}
	return false, nil
}

// errUnbegun is the error of a journal without a complete first record.
var errUnbegun = errors.New("no complete first record: the session ended before it began")

func decode(line []byte) (record, error) {
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return record{}, fmt.Errorf("damaged record: %w", err)
	}
	return r, nil
}

// add applies the next record. Records must come in the order in which a Journal writes them.
func (s *Session) add(r record) error {
	switch {
	case s.Meta.ID == "":
		if r.Meta == nil || r.Meta.ID == "" {
			return errors.New("the first record does not name a session: not a journal of aura")
		}
		s.Meta = *r.Meta
	case r.Resume != nil:
		s.End = nil
	case s.End != nil:
		return errors.New("a record after the end of the session")
	case r.Fact != nil:
	case r.Data != nil:
		return s.addData(r.Data)
	case r.Compaction != nil:
		if r.Compaction.Kept < 0 || r.Compaction.Kept > len(s.Messages) {
			return fmt.Errorf("a compaction that keeps %d of %d messages", r.Compaction.Kept, len(s.Messages))
		}
		kept := s.Messages[len(s.Messages)-r.Compaction.Kept:]
		s.Messages = append([]llm.Message{r.Compaction.Summary}, kept...)
	case r.Rewind != nil:
		if r.Rewind.Keep < 0 || r.Rewind.Keep > len(s.Messages) {
			return fmt.Errorf("a return to %d of %d messages", r.Rewind.Keep, len(s.Messages))
		}
		s.Messages = s.Messages[:r.Rewind.Keep:r.Rewind.Keep]
	case r.Seen != nil:
		s.Seen = append(s.Seen, r.Seen)
	case r.State != nil:
		s.State, s.Noted = *r.State, true
	case r.Message != nil:
		m := fromRecord(r.Message)
		var err error
		if m.Parts, err = s.parts(r.Message.Parts); err != nil {
			return err
		}
		s.Messages = append(s.Messages, m)
	case r.End != nil:
		s.End = r.End
	default:
		return errors.New("a record of an unknown kind: the journal may be from a newer aura")
	}
	return nil
}
