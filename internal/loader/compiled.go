package loader

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/idelchi/aura/internal/pluginsource"
)

// AuraModule is the module of every program that is compiled from a plugin. It contains the SDK, at the path that it has in aura.
const AuraModule = "github.com/idelchi/aura"

// checkCompiledModule checks that a plugin with the module can be compiled.
func (s *Source) checkCompiledModule(mod string) *Error {
	p := &Error{File: mod, Line: 1, Rule: RuleNative, Fix: "choose another"}
	switch {
	case pluginsource.Owns(AuraModule, s.Module):
		p.Message = fmt.Sprintf("module %q is located in aura's own module", s.Module)
	case s.Package == "main":
		p.Message = "the last element of the module's path is main, and a compiled plugin cannot be package main"
	default:
		return nil
	}
	return p
}

// uncompiled returns why the go command would not compile a package at a path, or nil.
func uncompiled(importPath string) *Error {
	if pluginsource.Owns(AuraModule, importPath) {
		return &Error{Rule: RuleImportMissing, Message: "aura's own packages are not available to plugins, except " + pluginsource.SDKPath}
	}
	if bad, ok := errors.AsType[*module.InvalidPathError](module.CheckImportPath(importPath)); ok {
		return &Error{Rule: RuleNative, Message: fmt.Sprintf("the go command refuses this path: %v", bad.Err), Fix: "rename the directory"}
	}
	return nil
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
	"//go:embed":    {"only Go source is compiled", "read the file at run time, from the directory of the plugin"},
	"//go:cgo_":     {"plugins are compiled without cgo", "remove it"},
}

// checkDirectives refuses compiler directives.
func (s *Source) checkDirectives(f *File) error {
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
	return nil
}

// isOfToolchain reports whether a package belongs to the toolchain's standard library and may be imported.
func (s *Source) isOfToolchain(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	if importPath == "" || strings.Contains(first, ".") || first == "cmd" || first == "vendor" || !fs.ValidPath(importPath) ||
		slices.Contains(strings.Split(importPath, "/"), "internal") || importPath == "runtime/cgo" {
		return false
	}
	if s.Root == "" {
		_, err := os.Stat(s.dirOf(importPath))
		return err != nil && !pluginsource.Owns(s.Module, importPath)
	}
	found, err := filepath.Glob(filepath.Join(escape(s.Root), "src", filepath.FromSlash(escape(importPath)), "*.go"))
	return err == nil && len(found) > 0
}

// escape quotes a path for filepath.Glob.
func escape(p string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`).Replace(p)
}
