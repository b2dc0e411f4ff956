package pluginsource

import (
	"cmp"
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
)

// Package is a plugin's own package as its files declare it. It requires little of the source, so that its results do not depend
// on whether all of the source compiles.
type Package struct {
	files []sourceFile
}

// Read reads the package in a directory. It skips test files and files that build constraints exclude.
func Read(dir string) (Package, error) {
	return read(dir, parser.SkipObjectResolution|parser.AllErrors, nil)
}

func read(dir string, mode parser.Mode, wanted func(text []byte) bool) (Package, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Package{}, fmt.Errorf("reading the plugin's source: %w", err)
	}
	var p Package
	for _, entry := range entries {
		if entry.IsDir() || !IsSource(entry.Name()) {
			continue
		}
		if f, ok := parse(filepath.Join(dir, entry.Name()), mode, wanted); ok {
			p.files = append(p.files, f)
		}
	}
	return p, nil
}

// Defines reports whether the package in a directory defines a function.
func Defines(dir, name string) bool {
	p, err := Read(dir)
	return err == nil && p.Defines(name)
}

// Defines reports whether the package has a top-level function with the name, declared or stored in a variable. aura can call
// both. A guard that does not load must be recognized however it was written.
func (p Package) Defines(name string) bool {
	text := regexp.MustCompile(`(?m)^(func[ \t]+` + regexp.QuoteMeta(name) + `[ \t]*[(\[]|var[ \t]+` + regexp.QuoteMeta(name) + `\b)`)
	return slices.ContainsFunc(p.files, func(f sourceFile) bool {
		if f.tree != nil && slices.ContainsFunc(Declarations(f.tree), func(d Declaration) bool { return d.Name.Name == name }) {
			return true
		}
		return f.err != nil && text.Match(f.text)
	})
}

// Hooks returns the hook points for which the package defines a function, in the order of hookpoint.All.
func (p Package) Hooks() []hookpoint.Name {
	var out []hookpoint.Name
	for _, point := range hookpoint.All() {
		if p.Defines(string(point.Name)) {
			out = append(out, point.Name)
		}
	}
	return out
}

// SyntaxError returns the first error of the parser's list for a file, as the others often follow from it. It names the file itself, the
// line and the column, also if a line directive of the source asks for another place.
func SyntaxError(file string, text []byte, err error) error {
	list, ok := errors.AsType[scanner.ErrorList](err)
	if !ok || len(list) == 0 {
		return err
	}
	first := *slices.MinFunc(list, func(a, b *scanner.Error) int { return cmp.Compare(a.Pos.Offset, b.Pos.Offset) })
	lines := token.NewFileSet().AddFile(file, -1, len(text))
	if len(text) > 0 {
		lines.SetLinesForContent(text)
	}
	first.Pos = lines.PositionFor(lines.Pos(min(first.Pos.Offset, len(text))), false)
	return &first
}
