package builtin

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/idelchi/aura/internal/readguard"
)

const (
	// textProbe is how many bytes of a file are looked at to tell whether it is text.
	textProbe = 8 << 10
	// editLimit is how many bytes a file may have that is changed in memory.
	editLimit = 64 << 20

	byteOrderMark = "\uFEFF"
	crlf          = "\r\n"
)

var errBinary = errors.New("it is not a text file")

// binary reports whether the beginning of a file is not that of a text.
func binary(start []byte) bool { return bytes.IndexByte(start, 0) >= 0 }

// document is a text file that is being changed.
type document struct {
	// mark is the byte order mark, if there is one.
	mark string
	text string
	mode fs.FileMode
}

// load reads a text file as a whole.
func load(path string) (document, error) {
	file, info, err := readguard.Open(path)
	if err != nil {
		return document{}, err
	}
	defer file.Close()
	if info.Size() > editLimit {
		return document{}, fmt.Errorf("it has more than %d bytes; change it with a command", editLimit)
	}
	raw, err := io.ReadAll(file)
	switch {
	case err != nil:
		return document{}, err
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

// String is the whole file.
func (d document) String() string { return d.mark + d.text }

// ending returns the way in which most lines end.
func ending(text string) string {
	if windows := strings.Count(text, crlf); windows > 0 && 2*windows >= strings.Count(text, "\n") {
		return crlf
	}
	return "\n"
}

// regular refuses what could block forever or is no file at all. Links are followed.
func regular(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return readguard.Regular(info)
}

// overwrite replaces all that a file holds. The file stays the same one, with its mode, its owner and its links; without
// one, it is made.
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

// store is what refill needs of a file.
type store interface {
	WriteAt(content []byte, offset int64) (int, error)
	Truncate(size int64) error
}

// refill puts content in the place of the size bytes that a file holds. What goes beyond them is written first, since only
// that needs more room: where there is none, the file keeps what it has.
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
