package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Load reads a journal back. A last line that was written only in part is left out and reported in Session.Torn; any other
// broken line is an error.
func Load(path string) (Session, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Session{}, fmt.Errorf("reading journal: %w", err)
	}
	s, err := parse(path, data)
	if err != nil {
		return Session{}, fmt.Errorf("reading journal: %w", err)
	}
	return s, nil
}

func parse(path string, data []byte) (Session, error) {
	var s Session
	for number := 1; len(data) > 0; number++ {
		line, rest, complete := bytes.Cut(data, []byte{'\n'})
		data = rest
		r, err := decode(line)
		if len(rest) == 0 && (!complete || err != nil) {
			s.Torn = true
			break
		}
		if err == nil {
			err = s.add(r)
		}
		if err != nil {
			return Session{}, fmt.Errorf("%s:%d: %w", path, number, err)
		}
	}
	if s.Meta.ID == "" {
		return Session{}, fmt.Errorf("%s: no complete first record: the session ended before it began", path)
	}
	return s, nil
}

func decode(line []byte) (record, error) {
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return record{}, fmt.Errorf("damaged record: %w", err)
	}
	return r, nil
}

// add takes the next record in the order that a Journal writes them.
func (s *Session) add(r record) error {
	switch {
	case s.Meta.ID == "":
		if r.Meta == nil || r.Meta.ID == "" {
			return errors.New("the first record does not name a session: not a journal of aura")
		}
		s.Meta = *r.Meta
	case s.End != nil:
		return errors.New("a record after the end of the session")
	case r.Message != nil:
		s.Messages = append(s.Messages, fromRecord(r.Message))
	case r.End != nil:
		s.End = r.End
	default:
		return errors.New("a record of an unknown kind: the journal may be from a newer aura")
	}
	return nil
}
