package builtin

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/idelchi/aura/internal/agent/readguard"
	"github.com/idelchi/aura/internal/base/limit"
)

const (
	// textProbe is how many bytes of a file are examined to detect whether it is text.
	textProbe = 8 << 10

	byteOrderMark = "\uFEFF"
	crlf          = "\r\n"
)

var errBinary = errors.New("it is not a text file")

// binary reports whether a file with the given first bytes is not text.
func binary(start []byte) bool { return bytes.IndexByte(start, 0) >= 0 }

// document is a text file that is being changed.
type document struct {
	// mark is the byte order mark, if there is one.
	mark string
	text string
	mode fs.FileMode
}

// load reads a whole text file.
func load(path string) (document, error) {
	file, info, err := readguard.Open(path)
	if err != nil {
		return document{}, err
	}
	defer file.Close()
	// The files of some file systems have no size.
	raw, err := io.ReadAll(io.LimitReader(file, limit.EditFile+1))
	switch {
	case err != nil:
		return document{}, err
	case len(raw) > limit.EditFile || info.Size() > limit.EditFile:
		return document{}, fmt.Errorf("it has more than the limit of %s; change it with a command", limit.Size(limit.EditFile))
	case binary(raw[:min(len(raw), textProbe)]):
		return document{}, errBinary
	}
	text, marked := strings.CutPrefix(string(raw), byteOrderMark)
	d := document{text: text, mode: info.Mode().Perm()}
	if marked {
		d.mark = byteOrderMark
	}
	return d, nil
}

// String returns the whole content of the file.
func (d document) String() string { return d.mark + d.text }

// ending returns the line end of most lines.
func ending(text string) string {
	if windows := strings.Count(text, crlf); windows > 0 && 2*windows >= strings.Count(text, "\n") {
		return crlf
	}
	return "\n"
}

// regular returns an error unless the path is a regular file. Other files could block forever. Symbolic links are followed.
func regular(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return readguard.Regular(info)
}

// overwrite replaces the content of a file. The file itself is kept, with its mode, its owner and its links. If it does not
// exist, it is created.
func overwrite(path, content string, mode fs.FileMode) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, mode)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil {
		err = refill(file, info.Size(), content)
	}
	return errors.Join(err, file.Close())
}

// store holds the file methods that refill needs.
type store interface {
	WriteAt(content []byte, offset int64) (int, error)
	Truncate(size int64) error
}

// refill replaces the content of a file of size bytes. It first writes the part beyond size, because only that part needs more
// disk space: if there is none, the file keeps its old content.
func refill(file store, size int64, content string) error {
	within := min(size, int64(len(content)))
	if more := content[within:]; more != "" {
		if _, err := file.WriteAt([]byte(more), within); err != nil {
			return errors.Join(err, file.Truncate(size))
		}
	}
	if _, err := file.WriteAt([]byte(content[:within]), 0); err != nil {
		return err
	}
	if within < size {
		return file.Truncate(within)
	}
	return nil
}
