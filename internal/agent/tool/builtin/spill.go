package builtin

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/idelchi/aura/internal/agent/tool"
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

// spillName matches the names that create gives to files.
var spillName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`aura-bash-[0-9]+\.txt`) })

// ReplaceOutput writes text into the file with the full output of a command, if the result of the command names a file in one of the
// directories. Confined code can write to these directories, so ReplaceOutput follows no links there.
func ReplaceOutput(result, text string, dirs ...string) error {
	from, to, ok := tool.FindLeftOutNote(result)
	if !ok {
		return nil
	}
	names := spillName().FindAllString(result[from:to], -1)
	if len(names) == 0 {
		return nil // the output could not be kept
	}
	var errs []error
	for _, dir := range dirs {
		path := filepath.Join(dir, names[len(names)-1])
		if err := os.Remove(path); errors.Is(err, os.ErrNotExist) {
			continue
		}
		// If the old file could not be removed, it still exists, and creating the new one fails.
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		_, err = f.WriteString(text)
		errs = append(errs, err, f.Close())
	}
	return errors.Join(errs...)
}
