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

// hashed is how many bytes of a file are compared, half of them at each end; of a longer file the time counts too.
const hashed = 16 << 20

// Mark says what a file was like when the model saw it.
type Mark struct {
	// Size is in bytes.
	Size int64 `json:"size"`
	// Time is when the file was last changed, in nanoseconds since 1970.
	Time int64 `json:"time"`
	// Hash is of the content, in hexadecimal digits.
	Hash string `json:"hash"`
}

// same reports whether the content is the same, however often it was written.
func (m Mark) same(other Mark) bool {
	return m.Size == other.Size && m.Hash == other.Hash && (m.Size <= hashed || m.Time == other.Time)
}

var (
	errDirectory = errors.New("it is a directory")
	errIrregular = errors.New("it is not a regular file")
)

// Open opens a regular file for reading. What could block or never end, such as a pipe or a device, is refused. Links are
// followed.
func Open(path string) (*os.File, fs.FileInfo, error) {
	// Opening alone can have an effect on the other end of a pipe or on a device.
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

// Regular returns an error that says what something is if it is no regular file.
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

// look returns the mark of a file as it is now.
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
