// Package statefile keeps a value as JSON in a file of aura's state, which several aura processes may change.
package statefile

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

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/lock"
)

// ErrNoPlace means that there is no directory for state: the user has neither a home directory nor $XDG_STATE_HOME.
var ErrNoPlace = errors.New("there is no directory to keep it in: set HOME or XDG_STATE_HOME")

// ErrFull means that a change would make the file larger than it may be.
var ErrFull = errors.New("there are too many")

// File is the file of a value. Each method reads the file again, so that what was changed elsewhere counts.
type File[T any] struct {
	// Path is absolute; empty if the user has no directory for state.
	Path string
	// Max is the largest size of the file, in bytes.
	Max int64
	// Again tells the user what happens after the file was removed.
	Again string
	// Empty returns the value of a file that does not exist.
	Empty func() T
	// Check completes a value that was read, and refuses one that aura does not write.
	Check func(*T) error
}

// Read returns the value. Everything that aura does not write is an error, and the value is empty then.
func (f File[T]) Read() (T, error) {
	if f.Path == "" {
		return f.Empty(), nil
	}
	data, err := files.ReadNoFollow(f.Path, f.Max)
	if errors.Is(err, fs.ErrNotExist) {
		return f.Empty(), nil
	}
	if err != nil {
		return f.Empty(), fmt.Errorf("%w: remove the file to start over; %s", err, f.Again)
	}
	var value T
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&value)
	if _, more := decoder.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("it has data after its end")
	}
	if err == nil {
		err = f.Check(&value)
	}
	if err != nil {
		return f.Empty(), fmt.Errorf("%s is damaged: %w: remove the file to start over; %s", f.Path, err, f.Again)
	}
	return value, nil
}

// Change reads, changes and writes the value. It holds a lock, so that no other aura does so at the same time.
func (f File[T]) Change(edit func(*T)) (err error) {
	if f.Path == "" {
		return ErrNoPlace
	}
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return err
	}
	held, err := lock.Wait(context.Background(), f.Path+".lock", func() {})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	value, err := f.Read()
	if err != nil {
		return err
	}
	edit(&value)
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	if int64(len(data)) >= f.Max {
		return ErrFull
	}
	if err := files.Replace(f.Path, append(data, '\n'), 0o600); err != nil {
		return err
	}
	// After a power failure, a consent that was withdrawn must not come back.
	return syncDir(filepath.Dir(f.Path))
}

// syncDir is replaced by a test, because nobody can see from outside whether a name is durable.
var syncDir = files.SyncDir

// CheckVersion refuses a file of another format.
func CheckVersion(got, want int) error {
	if got != want {
		return fmt.Errorf("its version is %d, but this aura supports version %d", got, want)
	}
	return nil
}
