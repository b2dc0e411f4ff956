package check

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
)

// maxParts limits the search through the parts of a type: generic types can have infinitely many parts.
const maxParts = 500

// jsonValues finds values that encoding/json treats differently because their types are interpreted.
func jsonValues(p *pass, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	w := jsonWalk{pass: p, at: n, seen: map[types.Type]bool{}}
	switch {
	case p.calls(call, "encoding/json", "Marshal", "MarshalIndent", "Encode"):
		w.encode = true
		w.walk(p.typeOf(call.Args[0]), !p.calls(call, "encoding/json", "Encode"))
	case p.calls(call, "encoding/json", "Unmarshal", "Decode"):
		w.walk(p.typeOf(call.Args[len(call.Args)-1]), true)
	}
}

// jsonWalk walks through the parts of a value. It reports each kind of problem once.
type jsonWalk struct {
	*pass

	at     ast.Node
	encode bool
	seen   map[types.Type]bool
}

func (w jsonWalk) walk(t types.Type, top bool) {
	t = types.Unalias(t)
	if w.seen[t] || len(w.seen) > maxParts {
		return
	}
	w.seen[t] = true
	if named := w.interpreted(t); named != nil {
		w.methods(named, top)
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		w.walk(u.Elem(), top)
	case *types.Slice:
		w.walk(u.Elem(), false)
	case *types.Array:
		w.walk(u.Elem(), false)
	case *types.Map:
		w.walk(u.Elem(), false)
	case *types.Struct:
		if named, ok := t.(*types.Named); !ok || w.interpreted(named) != nil {
			w.fields(u)
		}
	}
}

// methods reports a type that encodes or decodes itself.
func (w jsonWalk) methods(named *types.Named, top bool) {
	for m := range named.Methods() {
		switch name := m.Name(); {
		case w.encode && (name == "MarshalJSON" || name == "MarshalText") && !top, !w.encode && (name == "UnmarshalJSON" || name == "UnmarshalText"):
			w.report(w.at, atRun, "json-method", fmt.Sprintf("encoding/json does not call the method %s of %s, which is interpreted", name, named.Obj().Name()),
				"convert to and from maps, strings and numbers yourself")
		}
	}
}

func (w jsonWalk) fields(s *types.Struct) {
	for i := range s.NumFields() {
		f := s.Field(i)
		if f.Name() == "_" || strings.Contains(s.Tag(i), `json:"-"`) {
			continue
		}
		switch {
		case f.Embedded() && s.NumFields() > 1 && !strings.Contains(s.Tag(i), "json:"):
			w.report(w.at, atRun, "json-embedded", fmt.Sprintf("the fields of the embedded %s become an object of their own in JSON", f.Name()),
				"write the fields out, or use a map")
		case !f.Exported() && w.encode:
			w.report(w.at, atRun, "json-unexported", fmt.Sprintf("the unexported field %s is written too, as X%s", f.Name(), f.Name()),
				"marshal a map, or a struct with only the fields to write")
		}
		w.walk(f.Type(), false)
	}
}

// formats finds values that package fmt prints differently.
func formats(p *pass, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || !p.calls(call, "fmt") || call.Ellipsis.IsValid() {
		return
	}
	verbs := ""
	for _, arg := range call.Args {
		if v := p.info.Types[arg].Value; verbs == "" && v != nil && v.Kind() == constant.String && strings.HasSuffix(p.callee(call).Name(), "f") {
			verbs = constant.StringVal(v)
		}
	}
	for _, arg := range call.Args {
		t := p.typeOf(arg)
		if named := p.interpreted(t); named != nil && (strings.Contains(verbs, "%T") || strings.Contains(verbs, "%#v")) {
			p.report(arg, maybe, "format-type", fmt.Sprintf("the interpreter has another name for the type %s", named.Obj().Name()), "print the name as text")
		}
		if named := p.hiddenStringer(t, false, map[types.Type]bool{}); named != nil && strings.ContainsAny(verbs+"v", "vs") {
			p.report(arg, maybe, "format-method", fmt.Sprintf("the method %s of %s is not called for values inside others", stringMethod(named), named.Obj().Name()),
				"call it for each value and print the results")
		}
	}
}

// hiddenStringer returns an interpreted type inside t that has a String or Error method.
func (p *pass) hiddenStringer(t types.Type, in bool, seen map[types.Type]bool) *types.Named {
	t = types.Unalias(t)
	if seen[t] || len(seen) > maxParts {
		return nil
	}
	seen[t] = true
	if named := p.interpreted(t); named != nil && !types.IsInterface(named) {
		if stringMethod(named) != "" {
			if in {
				return named
			}
			return nil
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return p.hiddenStringer(u.Elem(), true, seen)
	case *types.Array:
		return p.hiddenStringer(u.Elem(), true, seen)
	case *types.Map:
		return p.hiddenStringer(u.Elem(), true, seen)
	case *types.Struct:
		for f := range u.Fields() {
			if f.Exported() {
				if found := p.hiddenStringer(f.Type(), true, seen); found != nil {
					return found
				}
			}
		}
	}
	return nil
}

// stringMethod returns the name of the method with which fmt would print a type.
func stringMethod(named *types.Named) string {
	for _, name := range []string{"Error", "String"} {
		obj, _, _ := types.LookupFieldOrMethod(named, false, named.Obj().Pkg(), name)
		if fn, ok := obj.(*types.Func); ok && fn.Signature().Params().Len() == 0 {
			return name
		}
	}
	return ""
}

// templates finds data whose methods a template cannot call.
func templates(p *pass, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || !p.calls(call, "text/template", "Execute", "ExecuteTemplate") && !p.calls(call, "html/template", "Execute", "ExecuteTemplate") {
		return
	}
	named := p.interpreted(p.typeOf(call.Args[len(call.Args)-1]))
	if named == nil || types.IsInterface(named) {
		return
	}
	for m := range named.Methods() {
		if m.Exported() {
			p.report(n, maybe, "template-method", fmt.Sprintf("a template does not find the method %s of %s, which is interpreted", m.Name(), named.Obj().Name()),
				"put what the methods return into fields, or into a map")
			return
		}
	}
}
