package session

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// maxName is the largest length of a name, in runes.
const maxName = 100

// Name returns a name that the user typed as one line.
func Name(text string) string { return strings.Join(strings.Fields(text), " ") }

// CheckName returns an error for a name that cannot be used.
func CheckName(name string) error {
	switch n := len([]rune(name)); {
	case n == 0:
		return errors.New("naming the session: the name is empty")
	case n > maxName:
		return fmt.Errorf("naming the session: the name has %d characters; %d are allowed", n, maxName)
	}
	return nil
}

// Rename names a session that no aura process has open. A session that had ended remains ended. A session is not used by being
// named, so that Rename keeps the time of its last use.
func Rename(path, name string, hide func(document []byte) []byte) error {
	if err := CheckName(name); err != nil {
		return err
	}
	before := used(path)
	j, s, err := Reopen(path)
	if err != nil {
		return err
	}
	j.Hide(hide)
	s.State.Title = name
	err = j.Note(s.State)
	if s.End != nil {
		err = errors.Join(err, j.Close(*s.End))
	} else {
		err = errors.Join(err, j.release())
	}
	return errors.Join(err, os.Chtimes(path, time.Time{}, before))
}

// light removes from a record the data that a summary does not need, so that summarizing a long session takes little memory.
func light(_ *Session, r *record) {
	switch {
	case r.Message != nil:
		m := &r.Message.Message
		r.Message = &message{}
		r.Message.Role, r.Message.Synthetic = m.Role, m.Synthetic
		if r.Message.Role == "user" {
			r.Message.Content = opening(m.Content)
		}
	case r.Compaction != nil:
		r.Compaction.Summary.Content = ""
	case r.Seen != nil:
		r.Seen = json.RawMessage("null")
	}
}

// used returns when a session was last written to.
func used(path string) time.Time {
	info, err := os.Lstat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// titleOf returns the title of a session in lists.
func titleOf(s Session) string { return cmp.Or(s.State.Title, Title(s.Messages)) }
