package check

import (
	"github.com/idelchi/aura/internal/golang/loader"
)

// load adds what keeps the plugin from loading. In packages whose types are known, it applies the rules.
func (c *checker) load(target loader.Target) {
	c.once = map[string]bool{}
	var refused []*loader.Error
	c.source, refused = loader.Check(c.dir, target)
	for _, e := range refused {
		c.refused(e)
	}
	for _, p := range c.source.Packages {
		if p.Types != nil {
			(&pass{checker: c, pkg: p}).run()
		}
	}
	if own := c.source.Own(); own != nil && own.Types != nil {
		c.exports(own.Types)
	}
}

// refused adds an error of the loader. An error that the interpreter ignores is a warning.
func (c *checker) refused(e *loader.Error) {
	if e.Err != nil {
		c.fault(e.Rule, e.File, e.Err)
		return
	}
	f := Finding{File: e.File, Line: e.Line, Column: e.Column, Severity: Error, Rule: e.Rule, Message: e.Message, Fix: e.Fix}
	if e.Soft {
		f.Severity = Warning
	}
	c.addIn(c.source.PackageOf(e.File), f)
}

// addIn adds a finding in a package, or in none. In a vendored package, which the author cannot change, one finding of each kind is enough.
func (c *checker) addIn(p *loader.Package, f Finding) {
	if p != nil && !p.Own {
		key := p.Path + " " + f.Rule
		if c.once[key] || f.Severity == Warning && f.Rule == loader.RuleUnused {
			return
		}
		c.once[key] = true
	}
	c.add(f)
}
