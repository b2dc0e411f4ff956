package native

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/module"

	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/internal/manifest"
	"github.com/idelchi/aura/internal/pluginsource"
	"github.com/idelchi/aura/sdk/version"
)

// MaxSource is how much source is read, in bytes, with all vendored packages.
const MaxSource = 64 << 20

// Source is the source of a plugin as it was read. Nothing else is compiled.
type Source struct {
	// Dir is the absolute path of the plugin's directory.
	Dir     string
	Module  string
	Package string
	// Unsafe permits the restricted packages.
	Unsafe bool

	// packages lists dependencies before their importers; the plugin's own package is the last.
	packages []*pkg
	byPath   map[string]*pkg
	root     *os.Root
	goroot   string
	match    build.Context
	fset     *token.FileSet
	size     int
	standard map[string]bool
	// report is given each fault. The reading ends with the error that it returns, and goes on after nil.
	report func(fault error) error
}

// pkg is one package of the source.
type pkg struct {
	path  string
	name  string
	files []file
	done  bool
}

// file is one file of a package. name is relative to the plugin's directory, with slashes.
type file struct {
	name string
	text []byte
	tree *ast.File
}

// Read reads the plugin in a directory with all packages that it imports, and performs all checks that do not run code. An error names the
// file, the line and the remedy.
func Read(dir string, t Toolchain, unsafe bool) (*Source, error) {
	return read(dir, t, unsafe, func(fault error) error { return fault })
}

// Check returns all errors that Read would return, one after the other. The toolchain may be empty; then, each import that looks like one of the
// standard library is taken for one.
func Check(dir string, t Toolchain, unsafe bool) []error {
	var found []error
	_, err := read(dir, t, unsafe, func(fault error) error {
		found = append(found, fault)
		return nil
	})
	if err != nil {
		found = append(found, err)
	}
	return found
}

func read(dir string, t Toolchain, unsafe bool, report func(fault error) error) (*Source, error) {
	own, err := manifest.ModulePath(dir)
	if err != nil {
		return nil, err
	}
	s := &Source{
		Dir: dir, Module: own, Package: manifest.PackageName(own), Unsafe: unsafe, byPath: make(map[string]*pkg), goroot: t.Root,
		match: t.BuildContext(), fset: token.NewFileSet(), standard: make(map[string]bool), report: report,
	}
	if err := s.checkModule(); err != nil {
		return nil, err
	}
	if s.root, err = files.OpenRoot(dir); err != nil {
		return nil, fmt.Errorf("reading the plugin's source: %w", err)
	}
	defer func() { _ = s.root.Close() }()
	if err := s.add(own, filepath.Join(dir, "go.mod")+":1"); err != nil {
		return nil, err
	}
	return s, nil
}

// checkModule checks the module's path, the package clauses and the vendored SDK.
func (s *Source) checkModule() error {
	switch {
	case s.isStandard(s.Module) || pluginsource.IsRestricted(s.Module):
		return fmt.Errorf("%s:1: module %q has the name of a standard library package, choose another", filepath.Join(s.Dir, "go.mod"), s.Module)
	case pluginsource.Owns(ours, s.Module):
		return fmt.Errorf("%s:1: module %q is located in aura's own module, choose another", filepath.Join(s.Dir, "go.mod"), s.Module)
	case s.Package == "main":
		return fmt.Errorf("%s:1: the last element of the module's path is main, and a compiled plugin cannot be package main; choose another",
			filepath.Join(s.Dir, "go.mod"))
	}
	if !token.IsIdentifier(s.Package) {
		return fmt.Errorf("%s:1: the module path gives the package name %q, which is no Go identifier; choose another", filepath.Join(s.Dir, "go.mod"), s.Package)
	}
	plugin, vendored, err := manifest.VendoredSDK(s.Dir)
	if err == nil && vendored {
		err = manifest.CompatibleSDK(plugin, version.Version)
	}
	return err
}

// add reads a package, after its imports. where is the file and line that imports it.
func (s *Source) add(importPath, where string) error {
	if p, known := s.byPath[importPath]; known {
		if !p.done {
			return fmt.Errorf("%s: importing %q: the packages import each other in a cycle", where, importPath)
		}
		return nil
	}
	p := &pkg{path: importPath}
	s.byPath[importPath] = p
	if err := s.read(p, where); err != nil {
		p.done = true
		return err
	}
	for _, f := range p.files {
		for _, spec := range f.tree.Imports {
			if err := s.resolve(spec); err != nil && s.report(err) != nil {
				return err
			}
		}
	}
	p.done = true
	s.packages = append(s.packages, p)
	return nil
}

// read reads the files of a package.
func (s *Source) read(p *pkg, where string) error {
	dir := pluginsource.PackageDir(s.Module, p.path)
	entries, err := os.ReadDir(filepath.Join(s.Dir, filepath.FromSlash(dir)))
	if err != nil {
		return fmt.Errorf("%s: importing %q: %w", where, p.path, err)
	}
	var cgo error
	faults := false
	for _, e := range entries {
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		err := s.addFile(p, path.Join(dir, e.Name()))
		switch {
		case errors.Is(err, errCgo) && !pluginsource.Owns(s.Module, p.path):
			// Vendored packages often have a file for builds without cgo as well. The other file is not copied.
			cgo = err
		case err != nil && s.report(err) != nil:
			return err
		case err != nil:
			faults = true
		}
	}
	switch {
	case len(p.files) > 0 || faults:
		return nil
	case cgo != nil:
		return cgo
	default:
		return fmt.Errorf("%s: importing %q: no Go files for %s/%s in %s", where, p.path, s.match.GOOS, s.match.GOARCH, filepath.Join(s.Dir, filepath.FromSlash(dir)))
	}
}

// addFile reads a file of a package and adds it, if it is part of the build.
func (s *Source) addFile(p *pkg, name string) error {
	f, err := s.readFile(name)
	switch {
	case err != nil:
		return err
	case f == nil:
		return nil
	case p.name != "" && p.name != f.tree.Name.Name:
		return fmt.Errorf("%s: package %s, but other files of the directory are package %s", s.where(f.tree.Name.Pos()), f.tree.Name.Name, p.name)
	case p.path == s.Module && f.tree.Name.Name != s.Package:
		return fmt.Errorf("%s: package is %s, but the module path in go.mod asks for package %s (its last element, with underscores for hyphens)",
			s.where(f.tree.Name.Pos()), f.tree.Name.Name, s.Package)
	}
	p.name = f.tree.Name.Name
	p.files = append(p.files, *f)
	return nil
}

// foreign lists the endings of files that go build would compile or link beside Go source.
var foreign = []string{".s", ".S", ".sx", ".syso", ".c", ".cc", ".cpp", ".cxx", ".m", ".f", ".F", ".for", ".f90", ".swig", ".swigcxx"}

// readFile reads one file. It returns nil if the file is no part of the build.
func (s *Source) readFile(name string) (*file, error) {
	at := filepath.Join(s.Dir, filepath.FromSlash(name))
	source := pluginsource.IsSource(name)
	if !source && !slices.Contains(foreign, path.Ext(name)) {
		return nil, nil
	}
	text, err := files.ReadBelow(s.root, name, pluginsource.MaxFile)
	if err != nil {
		if info, lerr := os.Lstat(at); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil, fmt.Errorf("%s:1: it is a link, and links are not part of a plugin; copy the file", at)
		}
		return nil, fmt.Errorf("reading the plugin's source: %w", err)
	}
	if s.size > MaxSource {
		return nil, nil // it was reported
	}
	if s.size += len(text); s.size > MaxSource {
		return nil, fmt.Errorf("%s:1: the plugin and its vendored packages have more than %d MiB of source, which is the limit", at, MaxSource>>20)
	}
	matches, err := pluginsource.Matches(s.match, at, text)
	switch {
	case !source && (matches || path.Ext(name) == ".syso" && err == nil):
		return nil, fmt.Errorf("%s:1: assembly, C and object files are not compiled into plugins; remove the file, or use a package that is pure Go", at)
	case !source:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", at, err)
	case !matches:
		return nil, nil
	}
	tree, err := parser.ParseFile(s.fset, at, text, parser.ParseComments)
	if err != nil {
		return nil, pluginsource.SyntaxError(at, text, err)
	}
	f := &file{name: name, text: text, tree: tree}
	return f, s.checkFile(f)
}

var errCgo = errors.New(`import "C" is not possible: plugins are compiled without cgo; use a package that is pure Go`)

// directives maps compiler directives that are refused to what to do about them.
var directives = map[string]string{
	"//go:linkname": "a plugin uses only what packages export; remove it",
	"//go:embed":    "only Go source is compiled; read the file at run time, from the directory of the plugin",
	"//go:cgo_":     "plugins are compiled without cgo; remove it",
}

// checkFile refuses what must not be compiled.
func (s *Source) checkFile(f *file) error {
	for _, spec := range f.tree.Imports {
		if spec.Path.Value == `"C"` || spec.Path.Value == "`C`" {
			return fmt.Errorf("%s: %w", s.where(spec.Pos()), errCgo)
		}
	}
	for _, group := range f.tree.Comments {
		for _, c := range group.List {
			for directive, remedy := range directives {
				if !strings.HasPrefix(c.Text, directive) {
					continue
				}
				if err := s.report(fmt.Errorf("%s: %s is refused: %s", s.where(c.Pos()), strings.Fields(c.Text)[0], remedy)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// resolve checks that an import is available, and reads it if it is part of the plugin.
func (s *Source) resolve(spec *ast.ImportSpec) error {
	where := s.where(spec.Pos())
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return fmt.Errorf("%s: import path %s: %w", where, spec.Path.Value, err)
	}
	outside := pluginsource.Outside(s.Dir, pluginsource.PackageDir(s.Module, p))
	switch {
	case p == pluginsource.SDKPath || p == pluginsource.SDKPath+"/version":
		return nil
	case pluginsource.IsRestricted(p) && !s.Unsafe:
		return fmt.Errorf("%s: importing %q: plugins may not use this package in safe mode; to allow it for all plugins set "+
			"\"plugins: unsafe: true\" in features/plugins.yaml or start aura with --unsafe-plugins", where, p)
	case p == "unsafe" || s.isStandard(p):
		s.standard[p] = true
		return nil
	case strings.HasPrefix(p, "./"), strings.HasPrefix(p, "../"):
		return fmt.Errorf("%s: importing %q: relative imports do not exist in modules; write the whole path", where, p)
	case pluginsource.Owns(ours, p):
		return fmt.Errorf("%s: importing %q: aura's own packages are not available to plugins, except %s", where, p, pluginsource.SDKPath)
	case outside != "":
		return fmt.Errorf("%s: importing %q: %s", where, p, outside)
	}
	if bad, ok := errors.AsType[*module.InvalidPathError](module.CheckImportPath(p)); ok {
		return fmt.Errorf("%s: importing %q: the go command refuses this path: %w; rename the directory", where, p, bad.Err)
	}
	info, err := os.Stat(filepath.Join(s.Dir, filepath.FromSlash(pluginsource.PackageDir(s.Module, p))))
	if err == nil && info.IsDir() {
		return s.add(p, where)
	}
	if pluginsource.Owns(s.Module, p) {
		return fmt.Errorf("%s: importing %q: there is no such directory in the plugin", where, p)
	}
	return fmt.Errorf("%s: importing %q: not in the standard library of this Go toolchain and not vendored; run \"go mod vendor\" in the plugin's directory", where, p)
}

// imported returns the path of an import that resolve accepted.
func imported(spec *ast.ImportSpec) string {
	path, _ := strconv.Unquote(spec.Path.Value)
	return path
}

// isStandard reports whether a package belongs to the toolchain's standard library and may be imported.
func (s *Source) isStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	if importPath == "" || strings.Contains(first, ".") || first == "cmd" || first == "vendor" || !fs.ValidPath(importPath) ||
		slices.Contains(strings.Split(importPath, "/"), "internal") || importPath == "runtime/cgo" {
		return false
	}
	if s.goroot == "" {
		_, err := os.Stat(filepath.Join(s.Dir, filepath.FromSlash(pluginsource.PackageDir(s.Module, importPath))))
		return err != nil && !pluginsource.Owns(s.Module, importPath)
	}
	found, err := filepath.Glob(filepath.Join(escape(s.goroot), "src", filepath.FromSlash(escape(importPath)), "*.go"))
	return err == nil && len(found) > 0
}

// escape quotes a path for filepath.Glob.
func escape(p string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`).Replace(p)
}

func (s *Source) where(pos token.Pos) string {
	p := s.fset.PositionFor(pos, false)
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// offset returns the place of a position in the text of its file, in bytes.
func (s *Source) offset(f file, pos token.Pos) int { return s.fset.File(f.tree.Pos()).Offset(pos) }

// hash returns a hash of all files that were read.
func (s *Source) hash() string {
	h := sha256.New()
	for _, p := range s.packages {
		for _, f := range p.files {
			// Encoding keeps the parts of neighbouring entries apart.
			_ = json.NewEncoder(h).Encode([]any{p.path, f.name, f.text})
		}
	}
	_ = json.NewEncoder(h).Encode([]any{s.Module, s.Unsafe})
	return hex.EncodeToString(h.Sum(nil))
}
