package builtin

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/base/limit"
)

// spill stores output in a file that only its owner can read. The first write creates the file.
type spill struct {
	// dir is the directory of the file. If it is empty, the system's temporary directory is used.
	dir string

	file *os.File
	size int
	// over is set once output exceeded the size limit.
	over bool
	err  error
}

// write stores the part of p that fits. After an error it stores nothing more.
func (s *spill) write(p []byte) {
	if s.err != nil || len(p) == 0 {
		return
	}
	if s.file == nil {
		if s.file, s.err = create(s.dir); s.err != nil {
			return
		}
	}
	if len(p) > limit.Spill-s.size {
		p, s.over = p[:limit.Spill-s.size], true
	}
	var n int
	n, s.err = s.file.Write(p)
	s.size += n
}

// create creates the file. The directory is made absolute, so that the name of the file is valid anywhere.
func create(dir string) (*os.File, error) {
	dir, err := filepath.Abs(cmp.Or(dir, os.TempDir()))
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.CreateTemp(dir, "aura-bash-*.txt")
}

// close closes the file and returns a clause that says where the output is.
func (s *spill) close() string {
	if s.file != nil {
		s.err = errors.Join(s.err, s.file.Close())
	}
	switch {
	case s.file == nil:
		return fmt.Sprintf("the full output could not be kept: %v", s.err)
	case s.err != nil:
		return fmt.Sprintf("the first %d bytes of it are in %s, the rest could not be kept: %v", s.size, s.file.Name(), s.err)
	case s.over:
		return fmt.Sprintf("the first %s of it are in %s, and no more is kept", limit.Size(s.size), s.file.Name())
	default:
		return "the full output is in " + s.file.Name()
	}
}

// discard removes the file, because it is not needed.
func (s *spill) discard() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}
