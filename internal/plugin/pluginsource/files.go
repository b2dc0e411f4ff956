// Package pluginsource inspects the Go source of a plugin without running it. It reports which files belong to the plugin, what
// the plugin's package declares, which of these functions aura calls and which types they must have, and what the source imports.
// The loader, the check, the installer and the consent to what a plugin asks for all use it.
package pluginsource

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/base/files"
)

const (
	// SDKPath is the import path of the SDK. The packages of the SDK come with aura, never from the plugin's vendor directory.
	SDKPath = "github.com/idelchi/aura/sdk"
	// LanguageMinor is the Go 1.x release that the interpreter's language and library correspond to. Build constraints see it.
	LanguageMinor = 26
	// MaxFile is the largest size of a source file, in bytes.
	MaxFile = 8 << 20
)

// Library says in a few words which standard library the interpreter has.
func Library() string {
	return fmt.Sprintf("that of Go 1.%d without special packages and with few generic types", LanguageMinor)
}

// Tags returns the build tags of plugins. They choose pure Go where a package has a choice.
func Tags() []string { return []string{"purego", "appengine"} }

// BuildContext decides which files belong to a package with the Go 1.x release: the files for this system, without cgo and, if there is an
// alternative, without assembly or unsafe.
func BuildContext(release int) build.Context {
	c := build.Context{GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Compiler: "gc", BuildTags: Tags()}
	for minor := 1; minor <= release; minor++ {
		c.ReleaseTags = append(c.ReleaseTags, "go1."+strconv.Itoa(minor))
	}
	return c
}

// IsSource reports whether a file name is the name of a Go source file that is not a test.
func IsSource(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
}

// Matches reports whether the build constraints of a source file include it. It returns an error if the head of the file cannot
// be read.
func Matches(c build.Context, name string, text []byte) (bool, error) {
	c.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	return c.MatchFile("", filepath.Base(name))
}

// constraint matches a line with a build constraint, and release the tag of a Go release that could compile a plugin.
var (
	constraint = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t]*//(?:go:build|[ \t]*\+build)[ \t].*$`) })
	release    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bgo1\.([1-9][0-9])\b`) })
)

// maxConstraints is how much of the build constraints of a file is evaluated for each release, in bytes.
const maxConstraints = 4 << 10

// mayMatch reports whether the build constraints of a source file include it with the release of the interpreter, or with a later one, because a
// later one may compile the plugin. In doubt, it returns true.
func mayMatch(name string, text []byte) bool {
	if matches, err := Matches(BuildContext(LanguageMinor), name, text); err != nil || matches {
		return true
	}
	// The head of a file can have megabytes of comments, so that the constraints are evaluated without them.
	head := bytes.Join(constraint().FindAll(text, -1), []byte("\n"))
	later := release().FindAllSubmatch(head, -1)
	if len(later) > 0 && len(head) > maxConstraints {
		return true
	}
	head = append(head, "\n\npackage p\n"...)
	return slices.ContainsFunc(later, func(m [][]byte) bool {
		minor, err := strconv.Atoi(string(m[1]))
		matches, failed := Matches(BuildContext(minor), name, head)
		return err == nil && minor > LanguageMinor && (matches || failed != nil)
	})
}

// EachFile visits everything below dir that is neither a directory nor hidden, in the order of names within each directory. It
// enters the directories that enter allows. It follows no links except dir itself. Paths are relative and slash-separated.
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

// sourceFile is a file that is compiled into the plugin. tree is the parser's result. If err is not nil, tree is nil or
// incomplete.
type sourceFile struct {
	path string
	text []byte
	set  *token.FileSet
	tree *ast.File
	err  error
}

// parse reads one file, which may be of any kind. It returns false for a file that is not compiled into the plugin. If the head
// is too broken to decide, the file is included, and the parser reports the error.
func parse(file string, mode parser.Mode, wanted func(text []byte) bool) (sourceFile, bool) {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return sourceFile{}, false
	}
	f := sourceFile{path: file, set: token.NewFileSet()}
	if f.text, f.err = files.Read(file, MaxFile); f.err != nil {
		return f, true
	}
	// wanted is checked first because it is cheaper, and it rejects most files of a large vendor directory.
	if wanted != nil && !wanted(f.text) {
		return sourceFile{}, false
	}
	if !mayMatch(file, f.text) {
		return sourceFile{}, false
	}
	f.tree, f.err = parser.ParseFile(f.set, file, f.text, mode)
	return f, true
}

// ParseFile parses a file, which may be of any kind. If there are several errors, it returns the first, which names the file,
// line and column.
func ParseFile(set *token.FileSet, file string) (*ast.File, error) {
	text, err := files.Read(file, MaxFile)
	if err != nil {
		return nil, err
	}
	tree, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	return tree, SyntaxError(file, text, err)
}
