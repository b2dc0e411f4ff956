package check

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"maps"
	"slices"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/nearest"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
	"github.com/idelchi/aura/sdk"
)

// toolSchemas checks a tool's schema that is written as a literal against aura's rules for tools. It skips computed parts:
// only running the plugin shows them.
func toolSchemas(p *pass, n ast.Node) {
	lit, ok := n.(*ast.CompositeLit)
	if !ok || !p.isSDK(lit, "ToolSchema") {
		return
	}
	fields := p.fields(lit)
	schema := sdk.ToolSchema{Name: "Tool"}
	if name, ok := fields["Name"]; ok {
		if text, known := p.text(name); known {
			schema.Name = text
		}
	}
	if parameters, ok := ast.Unparen(fields["Parameters"]).(*ast.CompositeLit); ok {
		schema.Parameters = p.parameters(parameters)
	}
	if _, err := tool.FromSDK(schema); err != nil {
		p.report(lit, atRun, "tool-schema", err.Error(), "")
	}
	name, ok := fields["Name"]
	if ok {
		_, ok = p.text(name)
	}
	if !ok || !p.pkg.Own || p.declared.Override {
		return
	}
	if owner := p.options.Taken[schema.Name]; owner != "" {
		p.report(name, atLoad, "tool-name", fmt.Sprintf("%s has a tool of the name %q", owner, schema.Name),
			"rename the tool, or set override: true in "+manifest.FileName)
	}
	if p.options.Tool != nil {
		p.options.Tool(schema.Name)
	}
}

// commandSchemas checks the name in a slash command's schema in the same way.
func commandSchemas(p *pass, n ast.Node) {
	lit, ok := n.(*ast.CompositeLit)
	if !ok || !p.isSDK(lit, "CommandSchema") {
		return
	}
	if name, ok := p.fields(lit)["Name"]; ok {
		if text, known := p.text(name); known && !pluginsource.IsCommandName(text) {
			p.report(name, atLoad, "command-schema", fmt.Sprintf("the Name %q, want one word without a slash", text), "")
		}
	}
}

// disabledTools finds patterns of DisableTools that match no tool but resemble the name of one. Other patterns may be about tools that
// are unknown here.
func disabledTools(p *pass, n ast.Node) {
	lit, ok := n.(*ast.CompositeLit)
	if !ok || !p.isSDK(lit, "Result") {
		return
	}
	list, ok := ast.Unparen(p.fields(lit)["DisableTools"]).(*ast.CompositeLit)
	if !ok {
		return
	}
	known := slices.Concat(slices.Sorted(maps.Keys(p.options.Taken)), tool.Conditional())
	for _, e := range list.Elts {
		pattern, constant := p.text(e)
		near := nearest.Hint(pattern, known)
		matches := slices.ContainsFunc(known, func(name string) bool { return tool.Match([]string{pattern}, name) })
		if constant && near != "" && !matches {
			p.report(e, maybe, "disable-tools", fmt.Sprintf("DisableTools has %q, which is no tool%s", pattern, near), "")
		}
	}
}

// parameters returns the parameters that a literal shows. If the properties are unknown, none is reported as missing.
func (p *pass) parameters(lit *ast.CompositeLit) sdk.ToolParameters {
	fields := p.fields(lit)
	var out sdk.ToolParameters
	if t, ok := fields["Type"]; ok {
		out.Type, _ = p.text(t)
	}
	properties, ok := ast.Unparen(fields["Properties"]).(*ast.CompositeLit)
	if !ok {
		return out
	}
	out.Properties = map[string]sdk.ToolProperty{}
	whole := true
	for _, e := range properties.Elts {
		kv, _ := e.(*ast.KeyValueExpr)
		if kv == nil {
			return sdk.ToolParameters{Type: out.Type}
		}
		name, known := p.text(kv.Key)
		whole = whole && known
		if value, ok := ast.Unparen(kv.Value).(*ast.CompositeLit); ok && known {
			out.Properties[name] = p.property(value)
		} else if known {
			out.Properties[name] = sdk.ToolProperty{}
		}
	}
	required, ok := ast.Unparen(fields["Required"]).(*ast.CompositeLit)
	if !ok || !whole {
		return out
	}
	for _, e := range required.Elts {
		if name, known := p.text(e); known {
			out.Required = append(out.Required, name)
		}
	}
	return out
}

func (p *pass) property(lit *ast.CompositeLit) sdk.ToolProperty {
	var out sdk.ToolProperty
	if t, ok := p.fields(lit)["Type"]; ok {
		out.Type, _ = p.text(t)
	}
	return out
}

// isSDK reports whether a literal is of a type of the SDK.
func (p *pass) isSDK(lit *ast.CompositeLit, name string) bool {
	named, ok := types.Unalias(p.pkg.Info.TypeOf(lit)).(*types.Named)
	return ok && named.Obj().Name() == name && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == pluginsource.SDKPath
}

// fields returns the values of a struct literal by field name.
func (p *pass) fields(lit *ast.CompositeLit) map[string]ast.Expr {
	out := map[string]ast.Expr{}
	t := p.pkg.Info.TypeOf(lit)
	if t == nil {
		return out
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return out
	}
	for i, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok {
				out[key.Name] = kv.Value
			}
		} else if i < s.NumFields() {
			out[s.Field(i).Name()] = e
		}
	}
	return out
}

// text returns the value of a constant string.
func (p *pass) text(x ast.Expr) (string, bool) {
	v := p.pkg.Info.Types[x].Value
	if v == nil || v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}
