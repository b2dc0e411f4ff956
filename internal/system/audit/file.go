package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
)

// file is a file that grows. It is opened anew for each write: programs that rotate logs rename it. aura never shortens or removes it.
type file struct {
	path string
	// sound is set after a complete write: the last line in the file then has its end.
	sound bool
}

// expand puts the user of the process in the place of {user}: a file belongs to one user.
func expand(path string) string {
	uid, name := who()
	if name == "" || strings.ContainsAny(name, `/\`) {
		name = uid
	}
	return strings.ReplaceAll(path, "{user}", strings.Trim(name, "."))
}

func (f *file) check() error {
	if !filepath.IsAbs(f.path) {
		return fmt.Errorf("%q is not an absolute path", f.path)
	}
	return nil
}

// write appends lines with one call, which the kernel does not mix with those of other processes.
func (f *file) write(_ context.Context, lines [][]byte) (written int, err error) {
	to, err := files.OpenNoFollow(f.path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrPermission) { // an administrator may let the user append, and not read
		if only, again := files.OpenNoFollow(f.path, os.O_APPEND|os.O_WRONLY, 0); again == nil {
			to, err = only, nil
		}
	}
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	info, err := to.Stat()
	if err != nil {
		return 0, err
	}
	if err := trusted(f.path, info); err != nil || len(lines) == 0 {
		return 0, err
	}
	text := bytes.Join(lines, nil)
	if !f.sound && torn(to, info.Size()) {
		text = append([]byte{'\n'}, text...)
	}
	n, err := to.Write(text)
	f.sound = err == nil
	if err == nil {
		return len(lines), nil
	}
	return bytes.Count(bytes.TrimPrefix(text[:n], []byte{'\n'}), []byte{'\n'}), err
}

// torn reports whether the last line has no end, because a disk was full, or because another process is writing it. The line that follows
// an end too many is empty, which readers of such files skip.
func torn(f *os.File, size int64) bool {
	last := make([]byte, 1)
	if size == 0 {
		return false
	}
	n, err := f.ReadAt(last, size-1)
	return err == nil && n == 1 && last[0] != '\n'
}
