package manifest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/files"
)

// Import is one import declaration.
type Import struct {
	Path string
	// File is the path of the file, including the directory that Imports was given.
	File string
	Line int
}

// CheckPackage tells whether every Go file directly in dir declares the package want, which follows from the module
// path. Test files and files that build constraints leave out do not count.
func CheckPackage(dir, want string) error {
	if !token.IsIdentifier(want) {
		return fmt.Errorf("%s: the module path gives the package name %q, which is no Go identifier; choose another",
			filepath.Join(dir, "go.mod"), want)
	}

	names, err := goFiles(dir)
	if err != nil {
		return err
	}

	if len(names) == 0 {
		return fmt.Errorf("%s has no Go files: write at least one that declares package %s", dir, want)
	}

	for _, file := range names {
		set := token.NewFileSet()

		parsed, err := parseFile(set, file, parser.PackageClauseOnly)
		if err != nil {
			return fmt.Errorf("reading the package clause: %w", first(err))
		}

		if parsed.Name.Name != want {
			return fmt.Errorf("%s:%d: package is %s, but the module path in go.mod asks for package %s (its last element, "+
				"with underscores for hyphens)", file, set.Position(parsed.Name.Pos()).Line, parsed.Name.Name, want)
		}
	}

	return nil
}

// Imports lists what the files below dir import, vendored packages included; test files and files that build
// constraints leave out do not count.
func Imports(dir string) ([]Import, error) {
	var found []Import

	err := eachFile(dir, "", func(string) bool { return true }, func(_, rel string, _ fs.FileMode) error {
		file := filepath.Join(dir, filepath.FromSlash(rel))
		if !counts(file) {
			return nil
		}

		set := token.NewFileSet()

		parsed, err := parseFile(set, file, parser.ImportsOnly)
		if err != nil {
			return first(err)
		}

		for _, spec := range parsed.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return fmt.Errorf("%s: import path %s: %w", file, spec.Path.Value, err)
			}

			found = append(found, Import{Path: path, File: file, Line: set.Position(spec.Pos()).Line})
		}

		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading imports: %w", err)
	}

	return found, nil
}

// Defines tells whether a Go file directly in dir declares the function name at the top level. It asks no more of the
// source than that, so that the answer does not depend on whether the rest of it compiles.
func Defines(dir, name string) bool {
	names, err := goFiles(dir)
	if err != nil {
		return false
	}

	text := regexp.MustCompile(`(?m)^func[ \t]+` + regexp.QuoteMeta(name) + `[ \t]*[(\[]`)

	return slices.ContainsFunc(names, func(file string) bool {
		parsed, err := parseFile(token.NewFileSet(), file, parser.SkipObjectResolution|parser.AllErrors)
		if parsed != nil && slices.ContainsFunc(parsed.Decls, func(d ast.Decl) bool {
			f, ok := d.(*ast.FuncDecl)

			return ok && f.Recv == nil && f.Name.Name == name
		}) {
			return true
		}

		if err == nil {
			return false
		}

		data, err := files.Read(file, maxSource)

		return err == nil && text.Match(data)
	})
}

// maxSource bounds a source file in bytes.
const maxSource = 8 << 20

// parseFile is parser.ParseFile for a file that may be anything.
func parseFile(set *token.FileSet, file string, mode parser.Mode) (*ast.File, error) {
	text, err := files.Read(file, maxSource)
	if err != nil {
		return nil, err
	}

	return parser.ParseFile(set, file, text, mode)
}

// goFiles lists the Go files directly in dir that count, sorted.
func goFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("reading the plugin's source: %w", err)
	}

	var names []string

	for _, entry := range entries {
		if file := filepath.Join(dir, entry.Name()); !entry.IsDir() && counts(file) {
			names = append(names, file)
		}
	}

	return names, nil
}

// counts tells whether a file is Go source that is compiled here outside of tests. Where its head is too broken to
// tell, it counts, and the parser says what is wrong.
func counts(file string) bool {
	dir, name := filepath.Split(file)
	if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
		return false
	}

	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}

	matches, err := build.Default.MatchFile(dir, name)

	return matches || err != nil
}

// first reduces the parser's list of errors to its first, which names file, line and column.
func first(err error) error {
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return list[0]
	}

	return err
}
