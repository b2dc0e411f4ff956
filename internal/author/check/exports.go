package check

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
)

// exports checks the functions that the plugin's package exports.
func (c *checker) exports(pkg *types.Package) {
	hooks := 0
	for _, point := range hookpoint.All() {
		hook := pluginsource.Hook(point)
		if exported, fits := c.export(pkg, hook); exported && (fits || hook.Otherwise == "") {
			hooks++
		}
	}
	has := func(f pluginsource.Function) bool { return pkg.Scope().Lookup(f.Name) != nil }
	c.idle(hooks > 0, has(pluginsource.Schema) || has(pluginsource.Tools))
	useful := hooks
	for _, pair := range pluginsource.Pairs() {
		if c.pair(pkg, pair) {
			useful++
		}
	}
	for _, f := range pluginsource.Optional() {
		if _, fits := c.export(pkg, f); fits && slices.Contains(pluginsource.Enough(), f.Name) {
			useful++
		}
	}
	c.almostHooks()
	if useful == 0 {
		c.add(Finding{
			File: filepath.Join(c.dir, "go.mod"), Line: 1, Severity: Error, Rule: "exports",
			Message: fmt.Sprintf("package %s exports neither a hook nor a tool (Schema with Execute, or Tools) nor a command (Command with ExecuteCommand, or Commands) nor a SystemPrompt", pkg.Name()),
			Fix:     "export one of the functions that aura calls, with the name in the documentation",
		})
	}
}

// idle finds keys of plugin.yaml about hooks or a tool that the plugin does not have.
func (c *checker) idle(hooks, tool bool) {
	d := c.declared
	for _, key := range []struct {
		name        string
		set, serves bool
		of          string
	}{
		{"condition", !d.Condition.IsZero(), hooks, "hooks"},
		{"once", d.Once, hooks, "hooks"},
		{"opt_in", d.OptIn, tool, "a tool"},
		{"override", d.Override, tool, "a tool"},
	} {
		if key.set && !key.serves {
			c.add(Finding{
				File: filepath.Join(c.dir, manifest.FileName), Severity: Warning, Rule: "manifest",
				Message: fmt.Sprintf("the key %q has no effect: it is for %s, and the plugin exports none", key.name, key.of), Fix: "remove the key",
			})
		}
	}
}

// pair checks two functions that need each other and reports whether the plugin has at least one of them.
func (c *checker) pair(pkg *types.Package, p pluginsource.Pair) bool {
	describes, _ := c.export(pkg, p.Describe)
	runs, _ := c.export(pkg, p.Run)
	if describes == runs {
		return describes
	}
	with, without := p.Describe, p.Run
	if runs {
		with, without = without, with
	}
	c.exported(pkg.Scope().Lookup(with.Name).Pos(), Finding{
		Severity: Error, Rule: "exports", Message: fmt.Sprintf("package %s exports %s without %s", pkg.Name(), with.Name, without.Name),
		Fix: fmt.Sprintf("write %s, which must be a %s", without.Name, spelled(without.Type)),
	})
	return true
}

// almostHooks finds functions that were probably meant to be hooks, in the same way as aura does at startup.
func (c *checker) almostHooks() {
	for _, a := range pluginsource.AlmostHooks(c.source.Declarations()) {
		c.exported(a.Name.Pos(), Finding{
			Severity: Warning, Rule: "exports", Message: fmt.Sprintf("the function %s is not called", a.Name.Name),
			Fix: "rename it to " + string(a.Meant) + " if it is a hook",
		})
	}
}

// export reports whether the package exports a function, and whether the function has the type that it must have. If it has another
// type, export adds a finding.
func (c *checker) export(pkg *types.Package, f pluginsource.Function) (exported, fits bool) {
	obj := pkg.Scope().Lookup(f.Name)
	if obj == nil {
		return false, false
	}
	message := ""
	switch sig, ok := obj.Type().Underlying().(*types.Signature); {
	case !ok && !invalid(obj.Type()):
		message = "is not a function"
	case ok && !invalid(sig) && signature(sig) != spelled(f.Type):
		message = "has the signature " + signature(sig)
	}
	if _, isType := obj.(*types.TypeName); isType {
		message = "is a type, not a function"
	}
	if message != "" {
		severity, consequence := Error, ""
		if f.Otherwise != "" {
			severity, consequence = Warning, ", so it is not called"
		}
		c.exported(obj.Pos(), Finding{
			Severity: severity, Rule: "signature", Message: fmt.Sprintf("%s.%s %s%s", pkg.Name(), f.Name, message, consequence),
			Fix: "make it a " + spelled(f.Type),
		})
	}
	return true, message == ""
}

func (c *checker) exported(pos token.Pos, f Finding) {
	at := c.source.Position(pos)
	f.File, f.Line, f.Column = at.Filename, at.Line, at.Column
	c.add(f)
}

// spelled returns a type as it is written in source.
func spelled(t reflect.Type) string { return strings.ReplaceAll(t.String(), "interface {}", "any") }

// signature returns a function's type without the names of parameters.
func signature(sig *types.Signature) string {
	bare := types.NewSignatureType(nil, nil, nil, unnamed(sig.Params()), unnamed(sig.Results()), sig.Variadic())
	return strings.ReplaceAll(types.TypeString(bare, (*types.Package).Name), "interface{}", "any")
}

func unnamed(tuple *types.Tuple) *types.Tuple {
	var vars []*types.Var
	for v := range tuple.Variables() {
		vars = append(vars, types.NewVar(token.NoPos, nil, "", types.Unalias(v.Type())))
	}
	return types.NewTuple(vars...)
}

// invalid reports whether a part of a type is unknown.
func invalid(t types.Type) bool {
	return strings.Contains(types.TypeString(t, nil), "invalid type")
}
