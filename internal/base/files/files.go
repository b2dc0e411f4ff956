// Package files reads and writes files that another process may have replaced by something else: a link, a named pipe, a
// device, or a file that never ends. No function waits for another process, and no function writes through a link.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// MaxText is the largest size of files written by people that are read, in bytes.
const MaxText = 16 << 20

// ErrNotRegular means that a path leads to a directory, a named pipe, a device or a socket.
var ErrNotRegular = errors.New("not a regular file")

// TooLargeError reports that a file is larger than the limit of its reader.
type TooLargeError struct {
	// Limit is in bytes.
	Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the file is larger than %d bytes, which is the limit", e.Limit)
}

// Read reads a regular file of at most limit bytes. It follows links. Its errors contain the path.
func Read(path string, limit int64) ([]byte, error) { return read(path, limit, 0) }

// ReadNoFollow is like Read, but fails if the last part of the path is a link.
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
	// The size in the directory may be wrong, as for files of /proc, or the file may grow.
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = &TooLargeError{Limit: limit}
	}
	if err != nil {
		return nil, fault("read", path, err)
	}
	return data, nil
}

// Open opens a regular file for reading. It follows links. The caller must close the file.
func Open(path string) (*os.File, error) { return open(path, os.O_RDONLY, 0) }

// OpenNoFollow opens a regular file, with the flags of os.OpenFile. It refuses a link. The caller must close the file.
func OpenNoFollow(path string, flag int, mode fs.FileMode) (*os.File, error) {
	return open(path, flag|noFollow, mode)
}

// open opens a regular file. It never waits for the other end of a named pipe or for a device.
func open(path string, flag int, mode fs.FileMode) (*os.File, error) {
	// Some devices act when they are opened: a watchdog begins to count, a tape rewinds.
	if info, err := look(path, flag); err == nil && !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
		return nil, fault("open", path, ErrNotRegular)
	}
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

// look returns what open would open. It opens nothing.
func look(path string, flag int) (fs.FileInfo, error) {
	if flag&noFollow != 0 {
		return os.Lstat(path)
	}
	return os.Stat(path)
}

func fault(op, path string, err error) error { return &fs.PathError{Op: op, Path: path, Err: err} }
