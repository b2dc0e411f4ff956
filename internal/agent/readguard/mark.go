package readguard

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// hashed is the maximum number of bytes of a file that are hashed. Of a longer file, half of them are taken from each end, and
// its time is compared as well.
const hashed = 16 << 20

// Mark describes a file at the time when the model saw it.
type Mark struct {
	// Size is in bytes.
	Size int64 `json:"size"`
	// Time is the modification time, in nanoseconds since 1970.
	Time int64 `json:"time"`
	// Hash is the hash of the content, in hexadecimal.
	Hash string `json:"hash"`
}

// same reports whether the content is the same, even if the file was rewritten.
func (m Mark) same(other Mark) bool {
	return m.Size == other.Size && m.Hash == other.Hash && (m.Size <= hashed || m.Time == other.Time)
}

var (
	errDirectory = errors.New("it is a directory")
	errIrregular = errors.New("it is not a regular file")
)

// Open opens a regular file for reading. It refuses files that could block or never end, such as a pipe or a device. It follows
// links.
func Open(path string) (*os.File, fs.FileInfo, error) {
	// Merely opening a pipe or a device can have side effects.
	info, err := os.Stat(path)
	if err == nil {
		err = Regular(info)
	}
	if err != nil {
		return nil, nil, err
	}
	file, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err = file.Stat()
	if err == nil {
		err = Regular(info)
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, info, nil
}

// Regular returns an error that names the kind of file, unless it is a regular file.
func Regular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errDirectory
	case !info.Mode().IsRegular():
		return errIrregular
	default:
		return nil
	}
}

// look returns the current mark of a file.
func look(path string) (Mark, error) {
	file, info, err := Open(path)
	if err != nil {
		return Mark{}, err
	}
	defer file.Close()
	hash := sha256.New()
	parts := []io.Reader{io.NewSectionReader(file, 0, min(info.Size(), hashed))}
	if info.Size() > hashed {
		parts = []io.Reader{
			io.NewSectionReader(file, 0, hashed/2),
			io.NewSectionReader(file, info.Size()-hashed/2, hashed/2),
		}
	}
	for _, part := range parts {
		if _, err := io.Copy(hash, part); err != nil {
			return Mark{}, fmt.Errorf("reading %s: %w", path, err)
		}
	}
	return Mark{Size: info.Size(), Time: info.ModTime().UnixNano(), Hash: hex.EncodeToString(hash.Sum(nil))}, nil
}
