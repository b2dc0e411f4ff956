package policy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/internal/lock"
)

const (
	// storeVersion is the version of the file's format.
	storeVersion = 1
	// maxStore is the largest size of the file, in bytes.
	maxStore = 4 << 20
)

// ErrNoPlace means that there is no directory to keep approvals in: the user has neither a home directory nor $XDG_STATE_HOME.
var ErrNoPlace = errors.New("there is no directory to keep it in: set HOME or XDG_STATE_HOME")

// Store is the file with the approvals that the user gave for all sessions of a project. Each method reads the file again, so that
// an approval that was removed elsewhere no longer counts. The file is located in aura's state, which confined processes neither
// read nor write.
type Store struct {
	// Path is absolute; empty if the user has no directory for state.
	Path string
}

// Kept is an approval in a store.
type Kept struct {
	Approval

	// Given is when the user gave the approval.
	Given time.Time `json:"given"`
}

// content is the content of the file.
type content struct {
	Version   int    `json:"version"`
	Approvals []Kept `json:"approvals"`
}

// All returns the approvals in the order in which they were given. A file that cannot be parsed is an error and has no approvals.
func (s Store) All() ([]Kept, error) {
	c, err := s.read()
	return c.Approvals, err
}

// Add records an approval, unless it is recorded already.
func (s Store) Add(given Approval, now time.Time) error {
	return s.change("keeping an approval", func(c *content) {
		if !slices.ContainsFunc(c.Approvals, func(k Kept) bool { return k.Approval == given }) {
			c.Approvals = append(c.Approvals, Kept{Approval: given, Given: now.UTC().Truncate(time.Second)})
		}
	})
}

// Remove removes an approval. It returns false if there is no such approval.
func (s Store) Remove(given Approval) (bool, error) {
	had := false
	err := s.change("removing an approval", func(c *content) {
		before := len(c.Approvals)
		c.Approvals = slices.DeleteFunc(c.Approvals, func(k Kept) bool { return k.Approval == given })
		had = len(c.Approvals) < before
	})
	return had, err
}

func (s Store) read() (content, error) {
	empty := content{Version: storeVersion}
	if s.Path == "" {
		return empty, nil
	}
	data, err := files.ReadNoFollow(s.Path, maxStore)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, fmt.Errorf("reading kept approvals: %w: remove the file to start over; aura will ask again", err)
	}
	c, err := parse(data)
	if err != nil {
		return empty, fmt.Errorf("reading kept approvals: %s is damaged: %w: remove the file to start over; aura will ask again", s.Path, err)
	}
	return c, nil
}

// parse reads the content of the file. It refuses everything that aura does not write.
func parse(data []byte) (content, error) {
	var c content
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return content{}, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return content{}, errors.New("it has data after its end")
	}
	if c.Version != storeVersion {
		return content{}, fmt.Errorf("its version is %d, but this aura supports version %d", c.Version, storeVersion)
	}
	for i, k := range c.Approvals {
		subject, specific := strings.CutPrefix(k.Pattern, k.Tool+":")
		if k.Tool == "" || k.Source == "" || k.Dir == "" || !specific && k.Pattern != k.Tool || specific && strings.TrimSpace(subject) == "" {
			return content{}, fmt.Errorf("approval %d is incomplete", i+1)
		}
	}
	return c, nil
}

// change reads, changes and writes the file. It holds a lock, so that no other aura does so at the same time.
func (s Store) change(doing string, edit func(*content)) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", doing, err)
		}
	}()
	if s.Path == "" {
		return ErrNoPlace
	}
	if err := os.MkdirAll(filepath.Dir(s.Path), 0o700); err != nil {
		return err
	}
	held, err := lock.Wait(context.Background(), s.Path+".lock", func() {})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	c, err := s.read()
	if err != nil {
		return err
	}
	edit(&c)
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if len(data) >= maxStore {
		return errors.New("there are too many; remove some with /policy remove")
	}
	return files.Replace(s.Path, append(data, '\n'), 0o600)
}
