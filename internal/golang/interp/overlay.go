package interp

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"testing/fstest"

	"github.com/idelchi/aura/internal/golang/repair"
)

// overlay is the GOPATH that the interpreter sees: a directory src/<import path> for each package of the plugin, its own or
// vendored. It exists only in memory.
type overlay struct {
	files fstest.MapFS
}

func newOverlay(s *source) overlay {
	o := overlay{files: fstest.MapFS{}}
	for i, p := range s.Packages {
		for j, text := range s.texts[i] {
			o.files[path.Join("src", p.Path, fmt.Sprintf("f%03d.go", j))] = &fstest.MapFile{Data: text}
		}
	}
	return o
}

// present returns a file's text in the form that the interpreter must see. A line directive contains the real path of the file, so
// that the interpreter reports it.
//
// The build constraints have already been evaluated. Those of the old form are disabled, because the interpreter would evaluate
// them again with less information. The edits neither add nor remove lines.
func present(file string, text []byte, edits []repair.Edit) []byte {
	out := fmt.Appendf(make([]byte, 0, len(text)+len(file)+len(edits)*4+16), "//line %s:1:1\n", file)
	from := len(text) - len(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	for line := range bytes.Lines(text[from:]) {
		if bytes.HasPrefix(line, []byte("package ")) {
			break
		}
		from += len(line)
		if rest, ok := bytes.CutPrefix(line, []byte("//")); ok && bytes.HasPrefix(bytes.TrimLeft(rest, " \t"), []byte("+build ")) {
			line = bytes.Replace(line, []byte("+build"), []byte("-build"), 1)
		}
		out = append(out, line...)
	}
	return repair.Apply(out, text, from, edits)
}

// The interpreter joins paths with the separator of the system; the overlay uses slashes.

func (o overlay) Open(name string) (fs.File, error) {
	return o.files.Open(filepath.ToSlash(name))
}

func (o overlay) Stat(name string) (fs.FileInfo, error) {
	return o.files.Stat(filepath.ToSlash(name))
}

func (o overlay) ReadDir(name string) ([]fs.DirEntry, error) {
	return o.files.ReadDir(filepath.ToSlash(name))
}

func (o overlay) ReadFile(name string) ([]byte, error) {
	return o.files.ReadFile(filepath.ToSlash(name))
}
