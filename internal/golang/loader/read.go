package loader

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
	"github.com/idelchi/aura/sdk/version"
)

// read reads the plugin's package and, transitively, its imports.
func (s *Source) read() error {
	mod := filepath.Join(s.Dir, "go.mod")
	var err error
	line := 0
	if s.Module, line, err = manifest.ModulePath(s.Dir); err != nil {
		return s.report(fault(mod, RuleModule, err))
	}
	s.Package = manifest.PackageName(s.Module)
	if s.language, err = goLine(mod); err != nil {
		return s.report(fault(mod, RuleModule, err))
	}
	if e := s.checkModule(); e != nil {
		e.File, e.Line = mod, line
		return s.report(e)
	}
	if err := s.checkSDK(); err != nil {
		return err
	}
	if s.Compiled {
		if s.root, err = files.OpenRoot(s.Dir); err != nil {
			return s.report(fault(s.Dir, RuleSource, fmt.Errorf("reading the plugin's source: %w", err)))
		}
	}
	defer s.closeRoot()
	_, err = s.add(s.Module)
	return err
}

// closeRoot closes the plugin's directory if it was opened.
func (s *Source) closeRoot() {
	if s.root != nil {
		_ = s.root.Close()
		s.root = nil
	}
}

// checkModule checks the path of the module.
func (s *Source) checkModule() *Error {
	switch {
	case s.isStandard(s.Module) || pluginsource.IsRestricted(s.Module):
		return &Error{
			Rule: RuleModule, Message: fmt.Sprintf("module %q has the name of a standard library package", s.Module),
			Fix: "choose another name, and change the package clause to match",
		}
	case !token.IsIdentifier(s.Package):
		return &Error{
			Rule: RulePackage, Message: fmt.Sprintf("the module path gives the package name %q, which is no Go identifier", s.Package),
			Fix: "choose another",
		}
	case s.Compiled:
		return s.checkCompiledModule()
	}
	return nil
}

// checkSDK checks that this aura supports the SDK that the plugin vendors.
func (s *Source) checkSDK() error {
	plugin, vendored, err := manifest.VendoredSDK(s.Dir)
	if err == nil && vendored {
		err = manifest.CompatibleSDK(plugin, version.Version)
	}
	if err != nil {
		return s.report(fault(filepath.Join(s.Dir, "vendor"), RuleSDK, err))
	}
	return nil
}

// add reads a package, after its imports. ofImporter is an error of the package that is reported where it is imported.
func (s *Source) add(importPath string) (ofImporter *Error, err error) {
	p := &Package{Path: importPath, Own: pluginsource.Owns(s.Module, importPath)}
	s.byPath[importPath] = p
	if ofImporter, err = s.readPackage(p); err != nil {
		return nil, err
	}
	for _, f := range p.Files {
		for _, spec := range f.Tree.Imports {
			if err := s.resolve(p, f, spec); err != nil {
				return nil, err
			}
		}
	}
	p.done = true
	s.Packages = append(s.Packages, p)
	return ofImporter, nil
}

// readPackage reads the files of a package.
func (s *Source) readPackage(p *Package) (ofImporter *Error, err error) {
	dir := s.dirOf(p.Path)
	entries, err := os.ReadDir(dir)
	if err != nil && p.Path != s.Module {
		p.partial = true
		return &Error{Rule: RuleSource, Message: err.Error()}, nil
	}
	if err != nil {
		p.partial = true
		return nil, s.report(fault(dir, RuleSource, fmt.Errorf("reading the plugin's source: %w", err)))
	}
	var cgo *Error
	for _, e := range entries {
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		f, err := s.readFile(p, filepath.Join(dir, e.Name()))
		switch {
		case err != nil:
			return nil, err
		case f == nil:
		case cgoImport(f.Tree) == nil:
			err = s.addFile(p, f)
			if err == nil {
				err = s.readEmbedded(p, f)
			}
			if err == nil && s.Compiled {
				err = s.checkFile(p, f)
			}
		case p.Own:
			p.partial = true
			err = s.report(s.cgo(f))
		case cgo == nil:
			// Vendored packages often have a file for builds without cgo as well.
			cgo = s.cgo(f)
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case len(p.Files) > 0 || p.partial:
		return nil, nil
	case cgo != nil:
		return nil, s.report(cgo)
	case p.Path == s.Module:
		return nil, s.report(fault(s.Dir, RulePackage, fmt.Errorf("%s has no Go files: write at least one that declares package %s", s.Dir, s.Package)))
	default:
		return &Error{Rule: RuleImportMissing, Message: fmt.Sprintf("no Go files for %s/%s in %s", s.context.GOOS, s.context.GOARCH, dir)}, nil
	}
}

// addFile adds a file to its package, unless it declares another package.
func (s *Source) addFile(p *Package, f *File) error {
	clause := f.Tree.Name
	first, other := p.Name == "", p.Name
	if first || clause.Name == p.Name {
		p.Name, p.Files = clause.Name, append(p.Files, f)
	} else {
		p.partial = true
	}
	switch {
	case p.Path == s.Module && clause.Name != s.Package && clause.Name != other:
		return s.report(s.at(clause, RulePackage, fmt.Sprintf("package is %s, but the module path in go.mod asks for package %s (its last element, with underscores for hyphens)",
			clause.Name, s.Package), ""))
	case !first && clause.Name != other && p.Path != s.Module:
		return s.report(s.at(clause, RulePackage, fmt.Sprintf("package %s, but other files of the directory are package %s", clause.Name, other), ""))
	}
	return nil
}

// readFile reads one file. It returns nil if the file does not belong to the package, or after an error that was reported.
func (s *Source) readFile(p *Package, path string) (*File, error) {
	failed := func(e *Error) (*File, error) {
		p.partial = true
		return nil, s.report(e)
	}
	source := pluginsource.IsSource(path)
	if !source && (!s.Compiled || !isForeign(path)) {
		return nil, nil
	}
	text, unread := s.readText(path)
	if unread != nil {
		return failed(unread)
	}
	matches, err := pluginsource.Matches(s.context, path, text)
	switch {
	case !source && (matches || filepath.Ext(path) == ".syso" && err == nil):
		return failed(foreign(path))
	case !source:
		return nil, nil
	case err == nil && !matches:
		return nil, nil
	case s.room < 0:
		p.partial = true
		return nil, nil // it was reported
	}
	if s.room -= len(text); s.room < 0 {
		return failed(&Error{
			File: path, Line: 1, Rule: RuleSource,
			Message: fmt.Sprintf("the plugin and its vendored packages have more than %d MiB of source, which is the limit", MaxSource>>20),
		})
	}
	if e := nesting(path, text); e != nil {
		return failed(e)
	}
	mode := parser.SkipObjectResolution
	if s.Compiled {
		mode = parser.ParseComments
	}
	tree, syntax := parser.ParseFile(s.Fset, path, text, mode)
	if syntax != nil {
		return failed(syntaxError(path, text, syntax))
	}
	if err != nil {
		return failed(constraintError(path, text, err))
	}
	return &File{Path: path, Text: text, Tree: tree}, nil
}

// constraintError returns the error of a build constraint that cannot be read.
func constraintError(path string, text []byte, err error) *Error {
	before, _, _ := bytes.Cut(text, []byte("//go:build"))
	return &Error{
		File: path, Line: 1 + bytes.Count(before, []byte("\n")), Rule: RuleSource, Message: strings.TrimPrefix(err.Error(), filepath.Base(path)+": "),
		Fix: "correct the build constraint",
	}
}

// readText reads the text of a file. A file that is compiled must not be a link.
func (s *Source) readText(path string) ([]byte, *Error) {
	if !s.Compiled {
		text, err := files.Read(path, pluginsource.MaxFile)
		if err != nil {
			return nil, fault(path, RuleSource, fmt.Errorf("reading the plugin's source: %w", err))
		}
		return text, nil
	}
	rel, err := filepath.Rel(s.Dir, path)
	var text []byte
	if err == nil {
		text, err = files.ReadBelow(s.root, rel, pluginsource.MaxFile)
	}
	if err == nil {
		return text, nil
	}
	if info, lerr := os.Lstat(path); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, &Error{File: path, Line: 1, Rule: RuleNative, Message: "it is a link, and links are not part of a plugin", Fix: "copy the file"}
	}
	return nil, fault(path, RuleSource, fmt.Errorf("reading the plugin's source: %w", err))
}

// syntaxError returns the first error of the parser.
func syntaxError(path string, text []byte, err error) *Error {
	first, ok := errors.AsType[*scanner.Error](pluginsource.SyntaxError(path, text, err))
	if !ok {
		return fault(path, RuleSyntax, err)
	}
	return &Error{File: path, Line: first.Pos.Line, Column: first.Pos.Column, Rule: RuleSyntax, Message: first.Msg}
}

// cgoImport returns the import of C, or nil.
func cgoImport(f *ast.File) *ast.ImportSpec {
	for _, spec := range f.Imports {
		if ImportPath(spec) == "C" {
			return spec
		}
	}
	return nil
}

func (s *Source) cgo(f *File) *Error {
	return s.at(cgoImport(f.Tree), RuleImportCgo, `importing "C": plugins cannot use cgo`, "use a package that is pure Go")
}

// ImportPath returns the path of an import. The parser has checked that it is a string.
func ImportPath(spec *ast.ImportSpec) string {
	path, _ := strconv.Unquote(spec.Path.Value)
	return path
}
