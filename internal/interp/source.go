package interp

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/internal/pluginsource"
	"github.com/idelchi/aura/internal/repair"
)

// source is all the Go source of a plugin: its own packages and the vendored packages that they need. It is read once.
type source struct {
	dir    string
	module string
	unsafe bool
	// packages lists dependencies before their importers; the plugin's own package is the last.
	packages []*sourcePackage
	// standard lists the standard library packages that are imported anywhere, without duplicates.
	standard []string
	// lowered is the result of lowering this source, for the next time that it is loaded.
	lowered []byte
	// interfaces is set if a type of the source could be passed to compiled code as an interface.
	interfaces bool

	byPath map[string]*sourcePackage
	fset   *token.FileSet
	match  build.Context
}

// sourcePackage is one directory of source.
type sourcePackage struct {
	path  string
	name  string
	own   bool
	files []sourceFile
	done  bool
	// lowered holds the texts that the interpreter gets instead of the files.
	lowered [][]byte
}

// sourceFile is a file with the text that is on disk. path is absolute. clause is the position of the package clause.
type sourceFile struct {
	path  string
	text  []byte
	tree  *ast.File
	edits []repair.Edit
	// declared lists the functions and variables of the file.
	declared []pluginsource.Declaration
	// names lists everything that the file declares in the package scope. dotSDK is set if the file imports the SDK into that scope.
	names  []string
	dotSDK bool
	// emits lists the events that the file emits, and disables the patterns by which it disables tools.
	emits    []string
	disables []string
	pkg      string
	clause   string
	imports  []importSpec
}

// importSpec is one import declaration. where is its file and line.
type importSpec struct {
	path  string
	where string
}

// readSource reads the plugin's package and, transitively, its imports. It resolves every import: an error reports where an
// unavailable package is imported.
//
// lowered is what an earlier call returned as lowered; it spares lowering the same source again. The source's own lowered is empty if
// it was used.
func readSource(dir, module string, unsafe bool, lowered []byte) (*source, error) {
	s := &source{dir: dir, module: module, unsafe: unsafe, byPath: map[string]*sourcePackage{}, fset: token.NewFileSet()}
	if isStandard(module) || pluginsource.IsRestricted(module) {
		return nil, fmt.Errorf("%s: module %q has the name of a standard library package, choose another", filepath.Join(dir, "go.mod"), module)
	}
	s.match = pluginsource.BuildContext()
	if err := s.add(module, importSpec{path: module, where: filepath.Join(dir, "go.mod")}); err != nil {
		return nil, err
	}
	if s.useLowered(lowered) {
		return s, nil
	}
	if err := s.lower(); err != nil {
		return nil, err
	}
	slices.Sort(s.standard)
	var err error
	s.lowered, err = s.encodeLowered()
	return s, err
}

// add reads the package imported by from, after its imports.
func (s *source) add(importPath string, from importSpec) error {
	if p, known := s.byPath[importPath]; known {
		if !p.done {
			return fmt.Errorf("%s: importing %q: the packages import each other in a cycle", from.where, importPath)
		}
		return nil
	}
	p := &sourcePackage{path: importPath, own: s.owns(importPath)}
	s.byPath[importPath] = p
	if err := s.read(p, from); err != nil {
		return err
	}
	for _, f := range p.files {
		for _, spec := range f.imports {
			if err := s.resolve(p, spec); err != nil {
				return err
			}
		}
	}
	p.done = true
	s.packages = append(s.packages, p)
	return nil
}

// owns reports whether a package belongs to the plugin's own module.
func (s *source) owns(importPath string) bool {
	return pluginsource.Owns(s.module, importPath)
}

// dirOf returns the directory of a package.
func (s *source) dirOf(importPath string) string {
	return filepath.Join(s.dir, filepath.FromSlash(pluginsource.PackageDir(s.module, importPath)))
}

// outside returns why a package is not part of the plugin, or "" if it is.
func (s *source) outside(importPath string) string {
	return pluginsource.Outside(s.dir, pluginsource.PackageDir(s.module, importPath))
}

func (s *source) has(importPath string) bool {
	info, err := os.Stat(s.dirOf(importPath))
	return err == nil && info.IsDir()
}

// read reads the files of a package.
func (s *source) read(p *sourcePackage, from importSpec) error {
	dir := s.dirOf(p.path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("%s: importing %q: %w", from.where, p.path, err)
	}
	var cgo error
	for _, e := range entries {
		if e.IsDir() || !pluginsource.IsSource(e.Name()) {
			continue
		}
		f, err := s.readFile(p, filepath.Join(dir, e.Name()))
		switch {
		case errors.Is(err, errCgo) && !p.own:
			// Vendored packages often have a file for builds without cgo as well.
			cgo = err
		case err != nil:
			return err
		case f != nil:
			p.files = append(p.files, *f)
		}
	}
	if len(p.files) == 0 && cgo != nil {
		return cgo
	}
	if len(p.files) == 0 {
		return fmt.Errorf("%s: importing %q: no Go files for %s/%s in %s", from.where, p.path, runtime.GOOS, runtime.GOARCH, dir)
	}
	return nil
}

// readFile reads one file. It returns nil if the file is not for this system.
func (s *source) readFile(p *sourcePackage, file string) (*sourceFile, error) {
	text, err := files.Read(file, pluginsource.MaxFile)
	if err != nil {
		return nil, fmt.Errorf("reading the plugin's source: %w", err)
	}
	f, err := s.scan(file, text)
	if f == nil || err != nil {
		return nil, err
	}
	if p.name == "" {
		p.name = f.pkg
	}
	if p.name != f.pkg {
		return nil, fmt.Errorf("%s: package %s, but other files of the directory are package %s", f.clause, f.pkg, p.name)
	}
	return f, nil
}

var errCgo = errors.New(`import "C" is not possible: plugins are interpreted, cgo is not`)

// scan parses one file. It returns nil if the build constraints exclude the file.
func (s *source) scan(file string, text []byte) (*sourceFile, error) {
	ok, err := pluginsource.Matches(s.match, file, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if !ok {
		return nil, nil
	}
	parsed, err := parser.ParseFile(s.fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, pluginsource.SyntaxError(file, text, err)
	}
	f := &sourceFile{path: file, text: text, tree: parsed, pkg: parsed.Name.Name, clause: s.where(parsed.Name.Pos())}
	f.declared = pluginsource.Declarations(parsed)
	f.names, f.dotSDK = pluginsource.DeclaredNames(parsed), pluginsource.SDKName(parsed) == "."
	f.emits, f.disables = pluginsource.Emitted(parsed), pluginsource.Disabled(parsed)
	s.interfaces = s.interfaces || standsForInterface(parsed)
	for _, spec := range parsed.Imports {
		where := s.where(spec.Pos())
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: import path %s: %w", where, spec.Path.Value, err)
		}
		if importPath == "C" {
			return nil, fmt.Errorf("%s: %w", where, errCgo)
		}
		f.imports = append(f.imports, importSpec{path: importPath, where: where})
	}
	return f, nil
}

func (s *source) where(pos token.Pos) string {
	p := s.fset.PositionFor(pos, false)
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}
