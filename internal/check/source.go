package check

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/internal/library"
	"github.com/idelchi/aura/internal/manifest"
	"github.com/idelchi/aura/internal/pluginsource"
)

// source is the plugin's Go source, including the vendored packages that it needs.
type source struct {
	module string
	fset   *token.FileSet
	// packages holds dependencies before their importers; the plugin's own package is the last element.
	packages []*sourcePackage
	byPath   map[string]*sourcePackage
}

// sourcePackage is one directory of source. whole is false if a file of the package could not be read.
type sourcePackage struct {
	path  string
	dir   string
	own   bool
	files []*ast.File
	whole bool
	done  bool
}

// read reads the plugin's package and, transitively, its imports. It returns nil if there is nothing to check.
func (c *checker) read() *source {
	mod := filepath.Join(c.dir, "go.mod")
	module, err := manifest.ModulePath(c.dir)
	if err != nil {
		c.fault("module", mod, err)
		return nil
	}
	if library.Has(module) || pluginsource.IsRestricted(module) {
		c.add(Finding{
			File: mod, Line: 1, Severity: Error, Rule: "module", Message: fmt.Sprintf("module %q has the name of a standard library package", module),
			Fix: "choose another name, and change the package clause to match",
		})
		return nil
	}
	if err := pluginsource.CheckClause(c.dir, manifest.PackageName(module)); err != nil {
		c.fault("package", c.dir, err)
	}
	s := &source{module: module, fset: token.NewFileSet(), byPath: map[string]*sourcePackage{}}
	c.load(s, module)
	if p := s.byPath[module]; p == nil || len(p.files) == 0 {
		return nil
	}
	return s
}

// load reads a package, after its imports.
func (c *checker) load(s *source, path string) *sourcePackage {
	p := &sourcePackage{path: path, dir: c.dirOf(s, path), own: s.owns(path), whole: true}
	s.byPath[path] = p
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		c.fault("source", p.dir, err)
		return p
	}
	for _, e := range entries {
		if name := e.Name(); pluginsource.IsSource(name) && !e.IsDir() {
			c.loadFile(s, p, filepath.Join(p.dir, name))
		}
	}
	for _, f := range p.files {
		for _, spec := range f.Imports {
			c.resolve(s, p, spec)
		}
	}
	p.done = true
	s.packages = append(s.packages, p)
	return p
}

// owns reports whether a path belongs to the plugin's own module.
func (s *source) owns(path string) bool {
	return pluginsource.Owns(s.module, path)
}

func (c *checker) dirOf(s *source, path string) string {
	return filepath.Join(c.dir, filepath.FromSlash(pluginsource.PackageDir(s.module, path)))
}

// loadFile parses one file, if its build constraints fit this system. It skips a vendored file with cgo, as the interpreter
// does.
func (c *checker) loadFile(s *source, p *sourcePackage, file string) {
	text, err := readText(file)
	if err != nil {
		c.fault("source", file, err)
		p.whole = false
		return
	}
	if ok, err := pluginsource.Matches(c.match, file, text); err == nil && !ok {
		return
	}
	parsed, err := parser.ParseFile(s.fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		c.fault("syntax", file, pluginsource.SyntaxError(file, text, err))
		p.whole = false
		return
	}
	if !p.own && importsC(parsed) {
		return
	}
	if len(p.files) > 0 && parsed.Name.Name != p.files[0].Name.Name && p.path != s.module {
		c.at(s, parsed.Name, Finding{
			Severity: Error, Rule: "package",
			Message: fmt.Sprintf("package %s, but other files of the directory are package %s", parsed.Name.Name, p.files[0].Name.Name),
		})
		p.whole = false
		return
	}
	p.files = append(p.files, parsed)
}

func readText(file string) ([]byte, error) {
	text, err := files.Read(file, pluginsource.MaxFile)
	if err != nil {
		return nil, fmt.Errorf("reading the plugin's source: %w", err)
	}
	return text, nil
}

func importsC(f *ast.File) bool {
	for _, spec := range f.Imports {
		if spec.Path.Value == `"C"` {
			return true
		}
	}
	return false
}

// at adds a finding at the start of a node.
func (c *checker) at(s *source, n ast.Node, f Finding) {
	p := s.fset.PositionFor(n.Pos(), false)
	f.File, f.Line, f.Column = p.Filename, p.Line, p.Column
	c.add(f)
}
