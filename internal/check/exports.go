package check

import (
	"context"
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/idelchi/aura/internal/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// The functions beside the hooks: the pairs that make a tool and a command, and what is optional.
var (
	pairs = [][2]export{
		{
			{"Schema", reflect.TypeFor[func() sdk.ToolSchema]()},
			{"Execute", reflect.TypeFor[func(context.Context, sdk.Context, map[string]any) (string, error)]()},
		},
		{
			{"Command", reflect.TypeFor[func() sdk.CommandSchema]()},
			{"ExecuteCommand", reflect.TypeFor[func(context.Context, string, sdk.Context) (sdk.CommandResult, error)]()},
		},
	}
	optional = []export{
		{"Init", reflect.TypeFor[func(sdk.ToolConfig)]()},
		{"Paths", reflect.TypeFor[func(map[string]any) (sdk.ToolPaths, error)]()},
		{"Available", reflect.TypeFor[func() bool]()},
		{"Sandboxable", reflect.TypeFor[func() bool]()},
		{"Parallel", reflect.TypeFor[func() bool]()},
	}
)

// export is a function that means something to aura.
type export struct {
	name string
	want reflect.Type
}

// exports checks what the plugin's package exports.
func (c *checker) exports(s *source, pkg *types.Package) {
	useful := 0
	for _, point := range hookpoint.All() {
		if c.export(s, pkg, export{string(point.Name), point.Signature}, Error) {
			useful++
		}
	}
	for _, pair := range pairs {
		has := [2]bool{c.export(s, pkg, pair[0], Error), c.export(s, pkg, pair[1], Error)}
		if has[0] == has[1] {
			useful += map[bool]int{true: 1}[has[0]]
			continue
		}
		useful++
		with, without := pair[0], pair[1]
		if has[1] {
			with, without = without, with
		}
		c.exported(s, pkg.Scope().Lookup(with.name), Finding{
			Severity: Error, Rule: "exports", Message: fmt.Sprintf("package %s exports %s without %s", pkg.Name(), with.name, without.name),
			Fix: fmt.Sprintf("write %s, which must be a %s", without.name, spelled(without.want)),
		})
	}
	for _, e := range optional {
		c.export(s, pkg, e, Warning)
	}
	c.almostHooks(s, pkg)
	if useful == 0 {
		c.add(Finding{
			File: filepath.Join(c.dir, "go.mod"), Line: 1, Severity: Error, Rule: "exports",
			Message: fmt.Sprintf("package %s exports neither a hook nor a tool (Schema with Execute) nor a command (Command with ExecuteCommand)", pkg.Name()),
			Fix:     "export one of the functions that aura calls, spelled as in its documentation",
		})
	}
}

// almostHooks finds functions that were probably meant to be hooks, as the start does.
func (c *checker) almostHooks(s *source, pkg *types.Package) {
	for _, name := range pkg.Scope().Names() {
		fn, ok := pkg.Scope().Lookup(name).(*types.Func)
		if !ok || !strings.Contains(types.TypeString(fn.Signature().Params(), (*types.Package).Name), "sdk.") {
			continue
		}
		meant, ok := hookpoint.Almost(name, func(n hookpoint.Name) bool { return pkg.Scope().Lookup(string(n)) != nil })
		if !ok {
			continue
		}
		c.exported(s, fn, Finding{
			Severity: Warning, Rule: "exports", Message: fmt.Sprintf("the function %s is not called", name), Fix: "rename it to " + string(meant) + " if it is a hook",
		})
	}
}

// export reports whether the package exports a name, and tells if it is not a function of the type that it must have.
func (c *checker) export(s *source, pkg *types.Package, e export, severity Severity) bool {
	obj := pkg.Scope().Lookup(e.name)
	if obj == nil {
		return false
	}
	message := ""
	switch sig, ok := obj.Type().Underlying().(*types.Signature); {
	case !ok && !invalid(obj.Type()):
		message = "is not a function"
	case ok && !invalid(sig) && signature(sig) != spelled(e.want):
		message = "has the signature " + signature(sig)
	}
	if _, isType := obj.(*types.TypeName); isType {
		message = "is a type, not a function"
	}
	if message != "" {
		consequence := ""
		if severity == Warning {
			consequence = ", so it is not called"
		}
		c.exported(s, obj, Finding{
			Severity: severity, Rule: "signature", Message: fmt.Sprintf("%s.%s %s%s", pkg.Name(), e.name, message, consequence),
			Fix: "make it a " + spelled(e.want),
		})
	}
	return true
}

func (c *checker) exported(s *source, obj types.Object, f Finding) {
	at := s.fset.PositionFor(obj.Pos(), false)
	f.File, f.Line, f.Column = at.Filename, at.Line, at.Column
	c.add(f)
}

// spelled is a type as it is written.
func spelled(t reflect.Type) string { return strings.ReplaceAll(t.String(), "interface {}", "any") }

// signature spells a function's type without the names of parameters.
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

// invalid reports whether a type has a part of which nothing is known.
func invalid(t types.Type) bool {
	return strings.Contains(types.TypeString(t, nil), "invalid type")
}
