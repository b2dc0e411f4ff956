package loader

import (
	"errors"
	"fmt"
	"go/ast"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/idelchi/aura/internal/plugin/pluginsource"
)

// AuraModule is the module of every program that is compiled from a plugin. It contains the SDK, at the path that it has in aura.
const AuraModule = "github.com/idelchi/aura"

// reserved lists the import paths that mean something else to the go command.
var reserved = []string{"C", "all", "cmd", "std", "tool", "work"}

// checkCompiledModule checks that a plugin with the module can be compiled.
func (s *Source) checkCompiledModule() *Error {
	e := &Error{Rule: RuleNative, Fix: "choose another"}
	switch {
	case pluginsource.Owns(AuraModule, s.Module):
		e.Message = fmt.Sprintf("module %q is located in aura's own module", s.Module)
	case s.Package == "main":
		e.Message = "the last element of the module's path is main, and a compiled plugin cannot be package main"
	case internalTo(s.Module) != "":
		e.Message = "the module's path has the element internal, so that the program of a compiled plugin cannot import it"
	default:
		if e.Message = unusable(s.Module); e.Message == "" {
			return nil
		}
	}
	return e
}

// uncompiled returns why the go command would not compile a package at a path, or nil.
func uncompiled(importer *Package, importPath string) *Error {
	if pluginsource.Owns(AuraModule, importPath) {
		return &Error{Rule: RuleImportMissing, Message: "aura's own packages are not available to plugins, except " + pluginsource.SDKPath}
	}
	if parent := internalTo(importPath); parent != "" && !pluginsource.Owns(parent, importer.Path) {
		return &Error{Rule: RuleNative, Message: "only packages in " + parent + " can import it, because its path has the element internal", Fix: "move what you need to another package"}
	}
	if why := unusable(importPath); why != "" {
		return &Error{Rule: RuleNative, Message: why, Fix: "rename the directory"}
	}
	return nil
}

// unusable returns why the go command cannot import a path, or the empty string.
func unusable(importPath string) string {
	elements := strings.Split(importPath, "/")
	if slices.Contains(elements, "vendor") || elements[0] == "modules.txt" || slices.Contains(reserved, importPath) {
		return fmt.Sprintf("the go command reserves the path %q for other purposes", importPath)
	}
	if bad, ok := errors.AsType[*module.InvalidPathError](module.CheckImportPath(importPath)); ok {
		return fmt.Sprintf("the go command refuses this path: %v", bad.Err)
	}
	return ""
}

// internalTo returns the path whose packages alone may import a package, or the empty string if all packages may.
func internalTo(importPath string) string {
	elements := strings.Split(importPath, "/")
	for i := len(elements) - 1; i > 0; i-- {
		if elements[i] == "internal" {
			return strings.Join(elements[:i], "/")
		}
	}
	return ""
}

// foreignEndings lists the endings of files that go build would compile or link beside Go source.
var foreignEndings = []string{".s", ".S", ".sx", ".syso", ".c", ".cc", ".cpp", ".cxx", ".m", ".f", ".F", ".for", ".f90", ".swig", ".swigcxx"}

// isForeign reports whether a file could be compiled or linked, and is not Go source.
func isForeign(path string) bool { return slices.Contains(foreignEndings, filepath.Ext(path)) }

// foreign returns the error of a file that is part of the build and not Go source.
func foreign(path string) *Error {
	return &Error{
		File: path, Line: 1, Rule: RuleNative, Message: "assembly, C and object files are not compiled into plugins",
		Fix: "remove the file, or use a package that is pure Go",
	}
}

// directives maps compiler directives that are refused to the reason and what to do about them.
var directives = map[string][2]string{
	"//go:linkname": {"a plugin uses only what packages export", "remove it"},
	"//go:cgo_":     {"plugins are compiled without cgo", "remove it"},
}

// checkFile refuses compiler directives, functions without a body, and a package that the go command ignores.
func (s *Source) checkFile(p *Package, f *File) error {
	if p.Name == "documentation" {
		return s.report(s.at(f.Tree.Name, RuleNative, "the go command ignores files of a package documentation", "rename the package"))
	}
	for _, group := range f.Tree.Comments {
		for _, c := range group.List {
			for directive, why := range directives {
				if !strings.HasPrefix(c.Text, directive) {
					continue
				}
				message := fmt.Sprintf("%s is refused: %s", strings.Fields(c.Text)[0], why[0])
				if err := s.report(s.at(c, RuleNative, message, why[1])); err != nil {
					return err
				}
			}
		}
	}
	for _, d := range f.Tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body != nil {
			continue
		}
		if err := s.report(s.at(fn, RuleNative, "the function "+fn.Name.Name+" has no body", "write it in Go")); err != nil {
			return err
		}
	}
	return nil
}

// isOfToolchain reports whether a package belongs to the toolchain's standard library and may be imported.
func (s *Source) isOfToolchain(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	if importPath == "" || strings.Contains(first, ".") || first == "cmd" || first == "vendor" || !fs.ValidPath(importPath) ||
		importPath == "runtime/cgo" || importPath == "builtin" {
		return false
	}
	for element := range strings.SplitSeq(importPath, "/") {
		if element == "internal" || element == "testdata" {
			return false
		}
	}
	if s.Root == "" {
		_, err := os.Stat(s.dirOf(importPath))
		return err != nil && !pluginsource.Owns(s.Module, importPath)
	}
	dir := filepath.Join(s.Root, "src", filepath.FromSlash(importPath))
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		if !pluginsource.IsSource(e.Name()) {
			return false
		}
		matches, err := s.context.MatchFile(dir, e.Name())
		return err == nil && matches
	})
}
