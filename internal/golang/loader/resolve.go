package loader

import (
	"bytes"
	"fmt"
	"go/ast"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/golang/library"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
)

// resolve checks that an import is available: from aura, from the standard library, from the plugin's module or from vendor. It reads the
// package if it is source.
func (s *Source) resolve(importer *Package, f *File, spec *ast.ImportSpec) error {
	p := ImportPath(spec)
	known := s.byPath[p]
	var found *Error
	switch {
	case !plain(p, f.Text[s.Fset.File(spec.Pos()).Offset(spec.Path.Pos()):]):
		found = &Error{Rule: RuleImportPath, Message: "the path is written with escapes", Fix: "write it as it is"}
	case p == pluginsource.SDKPath || p == pluginsource.SDKPath+"/version":
		return nil
	case known != nil && known.done:
		return nil
	case known != nil:
		found = &Error{Rule: RuleImportCycle, Message: "the packages import each other in a cycle", Fix: "move what both need to a third package"}
	case pluginsource.IsRestricted(p) && !s.Unsafe:
		found = &Error{
			Rule: RuleImportRestricted, Message: "plugins may not use this package in safe mode",
			Fix: `set "plugins: unsafe: true" in features/plugins.yaml or start aura with --unsafe-plugins`,
		}
	case pluginsource.IsRestricted(p), s.isStandard(p):
		s.addStandard(p)
		return nil
	default:
		if found = s.unfit(importer, p); found != nil {
			break
		}
		var err error
		if found, err = s.add(p); err != nil {
			return err
		}
		if found == nil && s.Compiled && s.byPath[p].Name == "main" {
			found = &Error{Rule: RuleNative, Message: "it is a program, not a package that can be imported", Fix: "rename the package"}
		}
	}
	if found == nil {
		return nil
	}
	s.unknown[p] = true
	at := s.Position(spec.Pos())
	found.File, found.Line, found.Column = at.Filename, at.Line, at.Column
	found.Message = fmt.Sprintf("importing %q: %s", p, found.Message)
	return s.report(found)
}

// plain reports whether the text of an import path is the path in quotes. What a plugin asks for is searched in its text, so that no path may be
// written in another way.
func plain(path string, text []byte) bool {
	return bytes.HasPrefix(text, []byte(`"`+path+`"`)) || bytes.HasPrefix(text, []byte("`"+path+"`"))
}

// addStandard adds an import of the standard library.
func (s *Source) addStandard(p string) {
	if !slices.Contains(s.Standard, p) && (s.Compiled || !library.IsGeneric(p)) {
		s.Standard = append(s.Standard, p)
	}
	declared := library.Has(p) || pluginsource.IsRestricted(p)
	if p == systemPackage && s.System == nil || s.Compiled && !declared {
		s.unknown[p] = true
	}
}

// unfit returns why a package cannot be read from the plugin's directory, or nil.
func (s *Source) unfit(importer *Package, p string) *Error {
	switch {
	case strings.HasPrefix(p, "./"), strings.HasPrefix(p, "../"):
		return &Error{Rule: RuleImportPath, Message: "relative imports do not exist in modules", Fix: fmt.Sprintf("write %q", path.Join(importer.Path, p))}
	case p == "", path.IsAbs(p), path.Clean(p) != p && !strings.Contains(p, "/."):
		return &Error{Rule: RuleImportPath, Message: "this is no import path", Fix: "write the path of a package, such as " + s.Module + "/words"}
	case path.Dir(p) == path.Base(p) && !s.Compiled:
		return &Error{Rule: RuleImportPath, Message: fmt.Sprintf("the interpreter cannot tell %q from %q", p, path.Base(p)), Fix: "rename one of them"}
	}
	if reason, fix := pluginsource.Outside(s.Dir, pluginsource.PackageDir(s.Module, p)); reason != "" {
		return &Error{Rule: RuleImportPath, Message: reason, Fix: fix}
	}
	if s.Compiled {
		if found := uncompiled(importer, p); found != nil {
			return found
		}
	}
	if info, err := os.Stat(s.dirOf(p)); err == nil && info.IsDir() {
		return nil
	}
	return s.missing(p)
}

// missing returns why there is no directory of a package.
func (s *Source) missing(p string) *Error {
	first, _, _ := strings.Cut(p, "/")
	switch {
	case pluginsource.Owns(s.Module, p):
		return &Error{Rule: RuleImportMissing, Message: "there is no directory " + s.dirOf(p), Fix: "create it, or correct the path"}
	case strings.Contains(first, "."):
		return &Error{Rule: RuleImportMissing, Message: "not vendored", Fix: `run "go mod vendor" in the plugin's directory`}
	}
	standard := fmt.Sprintf("the interpreter's standard library (that of Go 1.%d without special packages)", pluginsource.LanguageMinor)
	if s.Compiled {
		standard = "the standard library of this Go toolchain"
	}
	return &Error{
		Rule: RuleImportUnavailable, Message: "not in " + standard + " and not vendored",
		Fix: `do without it, or run "go mod vendor" in the plugin's directory if it is a dependency`,
	}
}

// isStandard reports whether every plugin may import a package from the standard library of the target.
func (s *Source) isStandard(importPath string) bool {
	if s.Compiled {
		return s.isOfToolchain(importPath)
	}
	return library.Has(importPath)
}
