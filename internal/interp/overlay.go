package interp

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"testing/fstest"

	"github.com/idelchi/aura/internal/repair"
)

// overlay is the GOPATH that the interpreter sees: the directory src/<import path> for each package of the plugin, whether its
// own or vendored. It exists in memory only.
type overlay struct {
	files fstest.MapFS
}

// newOverlay presents the files with their real paths in line directives, so that the interpreter reports those.
func newOverlay(s *source) overlay {
	o := overlay{files: fstest.MapFS{}}
	for _, p := range s.packages {
		for _, f := range p.files {
			o.files[path.Join("src", p.path, filepath.Base(f.path))] = &fstest.MapFile{Data: present(f)}
		}
	}
	return o
}

// present returns a file's text as the interpreter is to see it.
//
// Its build constraints have been judged already; those of the old form are disarmed, because the interpreter would judge them
// again, knowing less. The edits add and remove no line.
func present(f sourceFile) []byte {
	out := fmt.Appendf(make([]byte, 0, len(f.text)+len(f.path)+len(f.edits)*4+16), "//line %s:1:1\n", f.path)
	from := len(f.text) - len(bytes.TrimPrefix(f.text, []byte("\xef\xbb\xbf")))
	for line := range bytes.Lines(f.text[from:]) {
		if bytes.HasPrefix(line, []byte("package ")) {
			break
		}
		from += len(line)
		if rest, ok := bytes.CutPrefix(line, []byte("//")); ok && bytes.HasPrefix(bytes.TrimLeft(rest, " \t"), []byte("+build ")) {
			line = bytes.Replace(line, []byte("+build"), []byte("-build"), 1)
		}
		out = append(out, line...)
	}
	return repair.Apply(out, f.text, from, f.edits)
}

// The interpreter joins paths with the separator of the system; the overlay knows slashes.

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
