// Package pluginsource looks at the Go source of a plugin without running it: which files belong to it, what its package
// declares, which of that aura calls and of which type it must be, and what it imports. The loader, the check, the installer and
// the consent to what a plugin asks for all work from it.
package pluginsource

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/files"
)

const (
	// SDKPath is the import path of the SDK. Its packages come with aura, never from the plugin's vendor directory.
	SDKPath = "github.com/idelchi/aura/sdk"
	// LanguageMinor is the Go 1.x release that the interpreter's language and library correspond to. Build constraints see it.
	LanguageMinor = 22
	// MaxFile bounds a source file in bytes.
	MaxFile = 8 << 20
)

// BuildContext decides which files belong to a package: those for this system, without cgo and, where there is a choice, without
// assembly or unsafe.
func BuildContext() build.Context {
	c := build.Context{GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Compiler: "gc", BuildTags: []string{"purego", "appengine"}}
	for minor := 1; minor <= LanguageMinor; minor++ {
		c.ReleaseTags = append(c.ReleaseTags, "go1."+strconv.Itoa(minor))
	}
	return c
}

// IsSource reports whether a file name is that of Go source outside of tests.
func IsSource(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
}

// Matches reports whether the build constraints of a source file include it. The error is that of a head that cannot be read.
func Matches(c build.Context, name string, text []byte) (bool, error) {
	c.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	return c.MatchFile("", filepath.Base(name))
}

// EachFile visits everything below dir that is neither a directory nor hidden, in the order of names within each directory. It
// enters the directories that enter allows and follows no links but dir itself. Paths are relative, with slashes.
func EachFile(dir string, enter func(rel string) bool, visit func(rel string, kind fs.FileMode) error) error {
	return eachFile(dir, "", enter, visit)
}

func eachFile(dir, rel string, enter func(rel string) bool, visit func(rel string, kind fs.FileMode) error) error {
	entries, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(rel)))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		child := path.Join(rel, entry.Name())
		switch {
		case strings.HasPrefix(entry.Name(), "."):
		case !entry.IsDir():
			err = visit(child, entry.Type())
		case enter(child):
			err = eachFile(dir, child, enter, visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sourceFile is one file that counts. The tree is what the parser made of it, which is nil or a part where err is not nil.
type sourceFile struct {
	path string
	text []byte
	set  *token.FileSet
	tree *ast.File
	err  error
}

// parse reads one file, which may be anything. It is false for a file that is not compiled into the plugin. Where the head is too
// broken to tell, the file counts, and the parser reports what is wrong.
func parse(file string, mode parser.Mode, wanted func(text []byte) bool) (sourceFile, bool) {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return sourceFile{}, false
	}
	f := sourceFile{path: file, set: token.NewFileSet()}
	if f.text, f.err = files.Read(file, MaxFile); f.err != nil {
		return f, true
	}
	// wanted is the cheaper question, and most files of a large vendor directory are not.
	if wanted != nil && !wanted(f.text) {
		return sourceFile{}, false
	}
	if matches, err := Matches(BuildContext(), file, f.text); err == nil && !matches {
		return sourceFile{}, false
	}
	f.tree, f.err = parser.ParseFile(f.set, file, f.text, mode)
	return f, true
}

// ParseFile parses a file that may be anything. Of several errors it returns the first, which names file, line and column.
func ParseFile(set *token.FileSet, file string) (*ast.File, error) {
	text, err := files.Read(file, MaxFile)
	if err != nil {
		return nil, err
	}
	tree, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	return tree, first(err)
}
