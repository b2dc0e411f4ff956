package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/system/statefile"
)

const (
	// storeVersion is the version of the file's format.
	storeVersion = 1
	// maxStore is the largest size of the file, in bytes.
	maxStore = 4 << 20
)

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
	c, err := s.file().Read()
	if err != nil {
		err = fmt.Errorf("reading kept approvals: %w", err)
	}
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

func (s Store) change(doing string, edit func(*content)) error {
	err := s.file().Change(edit)
	switch {
	case errors.Is(err, statefile.ErrFull):
		return fmt.Errorf("%s: %w; remove some with /policy remove", doing, err)
	case err != nil:
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

func (s Store) file() statefile.File[content] {
	return statefile.File[content]{
		Path: s.Path, Max: maxStore, Again: "aura will ask again", Check: (*content).check,
		Empty: func() content { return content{Version: storeVersion} },
	}
}

// check refuses what aura does not write.
func (c *content) check() error {
	if err := statefile.CheckVersion(c.Version, storeVersion); err != nil {
		return err
	}
	for i, k := range c.Approvals {
		subject, specific := strings.CutPrefix(k.Pattern, k.Tool+":")
		if k.Tool == "" || k.Source == "" || k.Dir == "" || !specific && k.Pattern != k.Tool || specific && strings.TrimSpace(subject) == "" {
			return fmt.Errorf("approval %d is incomplete", i+1)
		}
	}
	return nil
}
