package check

import (
	"errors"
	"fmt"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/library"
	"github.com/idelchi/aura/internal/lower"
	"github.com/idelchi/aura/internal/pluginsource"
)

// types checks all packages, dependencies first. In packages that are valid Go, it finds what the interpreter cannot do.
func (c *checker) types(s *source) {
	c.once = map[string]bool{}
	known := &imports{packages: map[string]*types.Package{}}
	var packages []*lower.Package
	valid := len(c.missing) == 0
	for _, p := range s.packages {
		if !p.whole || len(p.files) == 0 {
			valid = false
			continue
		}
		info := lower.NewInfo()
		config := types.Config{Importer: known, Error: func(err error) {
			if e, ok := errors.AsType[types.Error](err); !ok || !e.Soft {
				valid = false
			}
			c.typeError(s, p, err)
		}}
		// config.Error received the errors.
		pkg, _ := config.Check(p.path, s.fset, p.files, info)
		if pkg == nil {
			valid = false
			continue
		}
		packages = append(packages, &lower.Package{Path: p.path, Vendored: !p.own, Fset: s.fset, Files: p.files, Types: pkg, Info: info})
		known.packages[p.path] = pkg
		pass := &pass{checker: c, source: s, pkg: p, types: pkg, info: info}
		pass.run()
		if p.path == s.module {
			c.exports(s, p, pkg)
		}
	}
	if valid && !c.compiled() {
		c.lowered(packages)
	}
}

// lowered reports what the loader cannot lower for the interpreter. It stops at the first construct, as the loader does.
func (c *checker) lowered(packages []*lower.Package) {
	_, err := lower.Program(packages, lower.Library())
	refused, ok := errors.AsType[*lower.Error](err)
	if !ok {
		return
	}
	message, fix, _ := strings.Cut(refused.Message, "; ")
	c.add(Finding{File: refused.At.Filename, Line: refused.At.Line, Column: refused.At.Column, Severity: Error, Rule: "interpreter", Message: message, Fix: fix})
}

// imports holds the packages of the library and the packages of the source that are already checked. resolve reports all other
// imports; the type checker ignores unknown packages.
type imports struct {
	packages map[string]*types.Package
}

func (i *imports) Import(path string) (*types.Package, error) {
	if p := i.packages[path]; p != nil {
		return p, nil
	}
	if path != "unsafe" && !library.Has(path) && path != "os/exec" {
		return nil, library.ErrUnknown
	}
	return library.Import(path)
}

var (
	undefined   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^undefined: (\w+)$`) })
	undefinedOf = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^undefined: (\w+)\.(\w+)$`) })
)

// typeError reports why the source is invalid Go. An error that the interpreter ignores, such as an unused variable, becomes a
// warning, unless the plugin is compiled.
func (c *checker) typeError(s *source, p *sourcePackage, err error) {
	e, ok := errors.AsType[types.Error](err)
	if !ok || strings.HasPrefix(e.Msg, "could not import") || strings.Contains(e.Msg, "invalid type") {
		return
	}
	if strings.HasPrefix(e.Msg, "\t") {
		return // this error continues the previous one
	}
	if m := undefined().FindStringSubmatch(e.Msg); m != nil && slices.ContainsFunc(c.missing, func(path string) bool { return strings.Contains(path, m[1]) }) {
		return // the name belongs to a package that is not available and known only by its path
	}
	at := s.fset.PositionFor(e.Pos, false)
	f := Finding{File: at.Filename, Line: at.Line, Column: at.Column, Severity: Error, Rule: "type", Message: e.Msg}
	if e.Soft {
		f.Rule = "unused"
		if !c.compiled() {
			f.Severity = Warning
		}
	}
	if m := undefinedOf().FindStringSubmatch(e.Msg); m != nil && fromLibrary(p, m[1]) {
		if c.compiled() {
			return // the compiler's library may be newer
		}
		f.Rule = "library"
		f.Message = fmt.Sprintf("%s.%s is not in the interpreter's standard library, which is %s", m[1], m[2], pluginsource.Library())
		f.Fix = "use another function or type, or write it yourself"
	}
	c.addIn(p, f)
}

// fromLibrary reports whether a name denotes an imported package of the library.
func fromLibrary(p *sourcePackage, name string) bool {
	for _, f := range p.files {
		for _, spec := range f.Imports {
			path := strings.Trim(spec.Path.Value, "`\"")
			if base := path[strings.LastIndex(path, "/")+1:]; library.Has(path) && (base == name || spec.Name != nil && spec.Name.Name == name) {
				return true
			}
		}
	}
	return false
}

// addIn adds a finding in a package. In a vendored package, which the author cannot change, one finding of each kind is
// enough.
func (c *checker) addIn(p *sourcePackage, f Finding) {
	key := p.path + " " + f.Rule
	if !p.own && (c.once[key] || f.Severity == Warning && f.Rule == "unused") {
		return
	}
	c.once[key] = true
	c.add(f)
}
