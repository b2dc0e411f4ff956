// Package files reads and writes files that others may have put something else in the place of: a link, a named pipe, a
// device, or a file that never ends. Nothing here waits for another process, and nothing is written through a link.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// MaxText is the size up to which files that people write are read, in bytes.
const MaxText = 16 << 20

// ErrNotRegular means that a path leads to a directory, a named pipe, a device or a socket.
var ErrNotRegular = errors.New("not a regular file")

// TooLargeError is a file that is larger than its reader takes.
type TooLargeError struct {
	// Limit is in bytes.
	Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the file is larger than %d bytes, which is the limit", e.Limit)
}

// Read reads a regular file of at most limit bytes. It follows links. Its errors name the path.
func Read(path string, limit int64) ([]byte, error) { return read(path, limit, 0) }

// ReadNoFollow is Read for a path whose last part must not be a link.
func ReadNoFollow(path string, limit int64) ([]byte, error) { return read(path, limit, noFollow) }

func read(path string, limit int64, flag int) ([]byte, error) {
	f, err := open(path, os.O_RDONLY|flag, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return readOpen(f, path, limit)
}

// readOpen reads an open regular file.
func readOpen(f *os.File, path string, limit int64) ([]byte, error) {
	// The size in the directory may be a lie, as for files of /proc, or grow.
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = &TooLargeError{Limit: limit}
	}
	if err != nil {
		return nil, fault("read", path, err)
	}
	return data, nil
}

// Open opens a regular file for reading. It follows links. The caller closes it.
func Open(path string) (*os.File, error) { return open(path, os.O_RDONLY, 0) }

// OpenNoFollow opens a regular file, with the flags of os.OpenFile. A link is refused. The caller closes it.
func OpenNoFollow(path string, flag int, mode fs.FileMode) (*os.File, error) {
	return open(path, flag|noFollow, mode)
}

// open never waits, neither for the other end of a named pipe nor for a device.
func open(path string, flag int, mode fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|nonBlock, mode)
	if err != nil {
		return nil, explain(path, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fault("open", path, ErrNotRegular)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func fault(op, path string, err error) error { return &fs.PathError{Op: op, Path: path, Err: err} }
