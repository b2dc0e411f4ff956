package trust

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

	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/internal/lock"
)

const (
	// storeVersion is the version of the file's format.
	storeVersion = 1
	// maxStore is the largest size of the file that is read, in bytes.
	maxStore = 256 << 20
)

// ErrNoPlace means that there is no directory to store consents in: the user has neither a home directory nor $XDG_STATE_HOME.
var ErrNoPlace = errors.New("there is no directory to store it in: set HOME or XDG_STATE_HOME, or use --trust for this run")

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
	c, err := s.read()
	if err != nil {
		return Consent{}, false, err
	}
	found, ok := c.Projects[dir]
	return found, ok, nil
}

// All returns the consents by directory.
func (s Store) All() (map[string]Consent, error) {
	c, err := s.read()
	return c.Projects, err
}

// Put records the consent for a directory and replaces any previous one.
func (s Store) Put(dir string, given Consent) error {
	return s.change(func(c *content) { c.Projects[dir] = given })
}

// Forget removes the consent for a directory. It returns false if there was none.
func (s Store) Forget(dir string) (bool, error) {
	had := false
	err := s.change(func(c *content) {
		_, had = c.Projects[dir]
		delete(c.Projects, dir)
	})
	return had, err
}

func (s Store) read() (content, error) {
	empty := content{Version: storeVersion, Projects: map[string]Consent{}}
	if s.Path == "" {
		return empty, nil
	}
	data, err := files.ReadNoFollow(s.Path, maxStore)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, fmt.Errorf("reading consents: %w: remove it to start over; aura will ask again for every project", err)
	}
	c := empty
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&c)
	if err == nil && c.Version != storeVersion {
		err = fmt.Errorf("its version is %d, but this aura supports version %d", c.Version, storeVersion)
	}
	if _, more := decoder.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("it has data after its end")
	}
	if err != nil {
		return empty, fmt.Errorf("reading consents: %s is damaged: %w: remove it to start over; aura will ask again for every project", s.Path, err)
	}
	if c.Projects == nil {
		c.Projects = map[string]Consent{}
	}
	return c, nil
}

// change reads, changes and writes the file. It holds a lock, so that no other aura does so at the same time.
func (s Store) change(edit func(*content)) (err error) {
	if s.Path == "" {
		return fmt.Errorf("recording consent: %w", ErrNoPlace)
	}
	if err := os.MkdirAll(filepath.Dir(s.Path), 0o700); err != nil {
		return fmt.Errorf("recording consent: %w", err)
	}
	held, err := lock.Wait(context.Background(), s.Path+".lock", func() {})
	if err != nil {
		return fmt.Errorf("recording consent: %w", err)
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	c, err := s.read()
	if err != nil {
		return err
	}
	edit(&c)
	data, err := json.MarshalIndent(c, "", "  ")
	if err == nil {
		err = files.Replace(s.Path, append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("recording consent: %w", err)
	}
	return nil
}
