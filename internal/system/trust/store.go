package trust

import (
	"errors"
	"fmt"

	"github.com/idelchi/aura/internal/system/audit"
	"github.com/idelchi/aura/internal/system/statefile"
)

const (
	// storeVersion is the version of the file's format.
	storeVersion = 1
	// maxStore is the largest size of the file, in bytes.
	maxStore = 256 << 20
)

// Store is the file with the user's consents. Each method reads the file again.
type Store struct {
	// Path is absolute; empty if the user has no directory for state.
	Path string
}

// content is the content of the file.
type content struct {
	Version int `json:"version"`
	// Projects holds the consents by the real paths of the project directories.
	Projects map[string]Consent `json:"projects"`
}

// Get returns the consent for a directory. A file that cannot be parsed is an error and gives no consent.
func (s Store) Get(dir string) (Consent, bool, error) {
	all, err := s.All()
	found, ok := all[dir]
	return found, ok, err
}

// All returns the consents by directory.
func (s Store) All() (map[string]Consent, error) {
	c, err := s.file().Read()
	if err != nil {
		err = fmt.Errorf("reading consents: %w", err)
	}
	return c.Projects, err
}

// Put records the consent for a directory and replaces any previous one.
func (s Store) Put(dir string, given Consent) error {
	if err := audit.Record(given.fact("given", dir)); err != nil {
		return fmt.Errorf("recording consent: %w", err)
	}
	return s.change(func(c *content) { c.Projects[dir] = given })
}

// Narrow removes sources from the consent for a directory. A consent without sources is removed. It leaves a pinned consent as
// it is.
func (s Store) Narrow(dir string, sources []string) error {
	return s.change(func(c *content) {
		given, known := c.Projects[dir]
		if !known || given.Pinned() {
			return
		}
		if given = given.Without(sources); len(given.Sources) == 0 {
			delete(c.Projects, dir)
		} else {
			c.Projects[dir] = given
		}
		_ = audit.Record(given.fact("narrowed", dir)) // what is withdrawn is withdrawn in any case
	})
}

// Forget removes the consent for a directory. It returns false if there was none.
func (s Store) Forget(dir string) (bool, error) {
	had := false
	err := s.change(func(c *content) {
		var given Consent
		given, had = c.Projects[dir]
		delete(c.Projects, dir)
		if had {
			_ = audit.Record(given.fact("withdrawn", dir))
		}
	})
	return had, err
}

func (s Store) change(edit func(*content)) error {
	err := s.file().Change(edit)
	switch {
	case errors.Is(err, statefile.ErrNoPlace):
		return fmt.Errorf("recording consent: %w, or use --trust for this run", err)
	case errors.Is(err, statefile.ErrFull):
		return fmt.Errorf("recording consent: %w; remove some with 'aura trust --forget'", err)
	case err != nil:
		return fmt.Errorf("recording consent: %w", err)
	}
	return nil
}

func (s Store) file() statefile.File[content] {
	return statefile.File[content]{
		Path: s.Path, Max: maxStore, Again: "aura will ask again for every project", Check: (*content).check,
		Empty: func() content { return content{Version: storeVersion, Projects: map[string]Consent{}} },
	}
}

// check refuses a file of another version, and completes one without consents.
func (c *content) check() error {
	if c.Projects == nil {
		c.Projects = map[string]Consent{}
	}
	return statefile.CheckVersion(c.Version, storeVersion)
}
