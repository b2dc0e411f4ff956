package loader

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/idelchi/aura/internal/golang/library"
	"github.com/idelchi/aura/internal/golang/lower"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
)

// Lower checks the types of all packages and writes them as the Go that the interpreter runs correctly. It returns the files of each package by
// import path, or the first error.
func (s *Source) Lower() (map[string][]lower.File, error) {
	if _, err := s.checkTypes(); err != nil {
		return nil, err
	}
	return s.lower()
}

// lower lowers packages whose types are checked.
func (s *Source) lower() (map[string][]lower.File, error) {
	packages := make([]*lower.Package, 0, len(s.Packages))
	for _, p := range s.Packages {
		packages = append(packages, &lower.Package{Path: p.Path, Vendored: !p.Own, SharedLoops: p.Own && s.sharedLoops(), Fset: s.Fset, Files: p.trees(), Types: p.Types, Info: p.Info, Embedded: p.Embedded})
	}
	out, err := lower.Program(packages, lower.Library())
	if refused, ok := errors.AsType[*lower.Error](err); ok {
		message, fix, _ := strings.Cut(refused.Message, "; ")
		return nil, s.report(&Error{
			File: refused.At.Filename, Line: refused.At.Line, Column: refused.At.Column, Rule: RuleInterpreter, Message: message, Fix: fix,
		})
	}
	return out, err
}

func (p *Package) trees() []*ast.File {
	out := make([]*ast.File, len(p.Files))
	for i, f := range p.Files {
		out[i] = f.Tree
	}
	return out
}

// checkTypes checks the types of all packages, dependencies first. It reports whether the source is valid Go. The error is the one of report.
func (s *Source) checkTypes() (valid bool, err error) {
	imported := &importer{source: s, library: library.Import}
	if s.Imports(systemPackage) && s.System != nil {
		imported.library = s.System().Import
	}
	valid = s.Own() != nil && len(s.unknown) == 0
	var held *Error
	for _, p := range s.Packages {
		if p.partial || len(p.Files) == 0 {
			valid = false
			continue
		}
		info := lower.NewInfo()
		config := types.Config{Importer: imported, Sizes: types.SizesFor("gc", runtime.GOARCH), Error: func(failed error) {
			e, follows := s.typeError(p, failed)
			valid = valid && e.Rule == RuleUnused
			switch {
			case !follows && err == nil:
				err = s.report(e)
			case held == nil && e.Rule != RuleUnused:
				held = e
			}
		}}
		if p.Own {
			config.GoVersion = s.language
		}
		// config.Error was given the errors.
		p.Types, _ = config.Check(p.Path, s.Fset, p.trees(), info)
		p.Info = info
		if err != nil {
			return false, err
		}
	}
	if held != nil && !s.refused && !s.newer && len(s.unknown) == 0 {
		// It follows from nothing, so it is the reason.
		return false, s.report(held)
	}
	return valid, nil
}

// systemPackage is the package whose declarations differ from system to system.
const systemPackage = "syscall"

// importer finds packages for the type checker.
type importer struct {
	source  *Source
	library func(path string) (*types.Package, error)
}

// Import returns a package of the source or of the library.
func (i *importer) Import(path string) (*types.Package, error) {
	p := i.source.byPath[path]
	switch {
	case p != nil && p.Types != nil:
		return p.Types, nil
	case p != nil:
		i.source.unknown[path] = true
	}
	if i.source.unknown[path] {
		return nil, library.ErrUnknown
	}
	return i.library(path)
}

var (
	undefined   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^undefined: (\w+)$`) })
	undefinedOf = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^undefined: (\w+)\.(\w+)$`) })
)

// typeError returns an error of the type checker as one of the loader. follows is set if it is probably the consequence of another error, or if
// only the compiler can decide.
func (s *Source) typeError(p *Package, err error) (out *Error, follows bool) {
	e, ok := errors.AsType[types.Error](err)
	if !ok {
		return fault(s.dirOf(p.Path), RuleType, err), false
	}
	at := s.Position(e.Pos)
	out = &Error{File: at.Filename, Line: at.Line, Column: at.Column, Rule: RuleType, Message: e.Msg}
	// An error that begins with a tab continues the one before.
	follows = strings.HasPrefix(e.Msg, "\t") || strings.Contains(e.Msg, "invalid type") || s.follows(e.Msg)
	// The interpreter ignores these. The type checker calls other errors soft, too.
	if e.Soft && (strings.HasPrefix(e.Msg, "declared and not used: ") || strings.HasSuffix(e.Msg, " and not used")) {
		out.Rule, out.Soft = RuleUnused, !s.Compiled
	}
	if m := undefinedOf().FindStringSubmatch(e.Msg); m != nil && fromLibrary(p, m[1]) {
		if s.Compiled {
			s.newer = true // in the library of the compiler
			return out, true
		}
		out.Rule = RuleLibrary
		out.Message = fmt.Sprintf("%s (it is not in the interpreter's standard library, which is %s)", e.Msg, pluginsource.Library())
		out.Fix = "use another function or type, or write it yourself"
	}
	return out, follows
}

// follows reports whether an error of the type checker is the consequence of an import of which nothing is known.
func (s *Source) follows(message string) bool {
	if rest, ok := strings.CutPrefix(message, "could not import "); ok {
		path, _, _ := strings.Cut(rest, " (")
		return s.unknown[path]
	}
	m := undefined().FindStringSubmatch(message)
	if m == nil {
		return false
	}
	for path := range s.unknown {
		// The name of the package is known only by its path: it may be x for example.com/go-x.
		if slices.Contains(strings.FieldsFunc(path, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }), m[1]) {
			return true
		}
	}
	return false
}

// fromLibrary reports whether a name denotes an imported package of the library.
func fromLibrary(p *Package, name string) bool {
	for _, f := range p.Files {
		for _, spec := range f.Tree.Imports {
			path := ImportPath(spec)
			if base := path[strings.LastIndex(path, "/")+1:]; library.Has(path) && (base == name || spec.Name != nil && spec.Name.Name == name) {
				return true
			}
		}
	}
	return false
}
