package planted

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/idelchi/aura/internal/base/files"
)

// The limits of a store. The oldest entries are removed when there are more.
const (
	maxStored = 256
	// maxStoredBytes is how large all entries are together.
	maxStoredBytes = 256 << 20
	// maxEntry is the largest size of the description of an entry, in bytes.
	maxEntry = 64 << 10
)

// Store is a quarantine: a directory of aura's state, which confined code can neither read nor write.
type Store struct {
	// Dir is absolute; empty if the user has no directory for state.
	Dir string
}

// Entry describes what was moved to a store.
type Entry struct {
	ID int `json:"id"`
	// Path is where it was. It is absolute.
	Path string    `json:"path"`
	Why  string    `json:"why"`
	Time time.Time `json:"time"`
	// Bytes is the size of all files.
	Bytes int64 `json:"bytes"`
}

// The files of an entry.
const (
	entryName = "entry.json"
	itemName  = "item"
)

var errNoStore = errors.New("there is no directory to keep it in: set HOME or XDG_STATE_HOME")

func (s Store) dir(id int) string { return filepath.Join(s.Dir, strconv.Itoa(id)) }

// List returns all entries, the oldest first.
func (s Store) List() ([]Entry, error) {
	if s.Dir == "" {
		return nil, nil
	}
	list, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []Entry
	for _, d := range list {
		id, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		// An aura that was killed may have left an entry without a description, or without what it describes.
		if e, err := s.read(id); err == nil && files.Exists(filepath.Join(s.dir(id), itemName)) {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b Entry) int { return a.ID - b.ID })
	return out, err
}

func (s Store) read(id int) (Entry, error) {
	var e Entry
	data, err := files.ReadNoFollow(filepath.Join(s.dir(id), entryName), maxEntry)
	if errors.Is(err, fs.ErrNotExist) {
		return e, fmt.Errorf("looking for entry %d of the quarantine: it does not exist; 'aura sandbox quarantine' lists all", id)
	}
	if err == nil {
		err = json.Unmarshal(data, &e)
	}
	if err == nil && (e.ID != id || !filepath.IsAbs(e.Path)) {
		err = fmt.Errorf("entry %d of the quarantine is damaged", id)
	}
	return e, err
}

// Remove deletes an entry for good.
func (s Store) Remove(id int) error {
	if _, err := s.read(id); err != nil {
		return err
	}
	return os.RemoveAll(s.dir(id))
}

// Restore moves an entry back to its place. It replaces nothing and follows no link.
func (s Store) Restore(id int) (Entry, error) {
	e, err := s.read(id)
	if err != nil {
		return e, err
	}
	if err := moveOut(filepath.Join(s.dir(id), itemName), e.Path); err != nil {
		return e, fmt.Errorf("restoring %s: %w", e.Path, err)
	}
	return e, os.RemoveAll(s.dir(id))
}

// put moves a path to the store and returns the ID of the entry.
func (s Store) put(path, why string) (int, error) {
	if s.Dir == "" {
		return 0, errNoStore
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return 0, err
	}
	id, err := s.create()
	if err != nil {
		return 0, err
	}
	bytes, err := moveIn(path, s.dir(id))
	if err == nil {
		var data []byte
		data, err = json.Marshal(Entry{ID: id, Path: path, Why: why, Time: time.Now().UTC(), Bytes: bytes})
		if err == nil {
			err = files.Replace(filepath.Join(s.dir(id), entryName), append(data, '\n'), 0o600)
		}
	} else {
		_ = os.RemoveAll(s.dir(id)) // it is empty
	}
	if err != nil {
		return 0, err
	}
	return id, s.shrink(id)
}

// create creates the directory of the next entry. Another aura may do so at the same time.
func (s Store) create() (int, error) {
	list, err := os.ReadDir(s.Dir)
	if err != nil {
		return 0, err
	}
	next := 1
	for _, d := range list {
		if id, err := strconv.Atoi(d.Name()); err == nil {
			next = max(next, id+1)
		}
	}
	for {
		err := os.Mkdir(s.dir(next), 0o700)
		if !errors.Is(err, fs.ErrExist) {
			return next, err
		}
		next++
	}
}

// shrink removes the oldest entries if there are too many. It never removes the newest.
func (s Store) shrink(newest int) error {
	all, err := s.List()
	if err != nil {
		return err
	}
	var bytes int64
	for i, e := range slices.Backward(all) {
		bytes += e.Bytes
		if (len(all)-i > maxStored || bytes > maxStoredBytes) && e.ID != newest {
			err = errors.Join(err, os.RemoveAll(s.dir(e.ID)))
		}
	}
	return err
}
