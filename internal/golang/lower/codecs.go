package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// gobCalls maps the functions of package gob that see values of own types to functions of package box.
var gobCalls = map[string]string{
	"(*encoding/gob.Encoder).Encode": "GobWrite", "(*encoding/gob.Decoder).Decode": "GobRead",
	"encoding/gob.Register": "GobRegister", "encoding/gob.RegisterName": "GobRegisterName",
}

// gob lowers a call of a function of gobCalls.
func (f *fn) gob(e *ast.CallExpr, name, callee string) string {
	last := e.Args[len(e.Args)-1]
	t := f.typeOf(last)
	if u := f.containing(t, nil); u != nil {
		return f.deny(e, last.Pos(), "%s does not see the type %s, which contains itself; give it the methods GobEncode and GobDecode", name, types.TypeString(u, types.RelativeTo(f.src.Types)))
	}
	var args []string
	for _, a := range e.Args[:len(e.Args)-1] {
		args = append(args, f.expr(a))
	}
	args = append(args, f.conv(last, anyType))
	with := gobCalls[name]
	if !strings.HasPrefix(with, "GobRegister") {
		args = append(args, "func(aura_p any) error { return "+callee+"(aura_p) }")
	} else if _, ok := pointee(t).Underlying().(*types.Struct); !ok && !isInterface(t) && f.boxed(t) && !f.encodesGob(pointee(t)) {
		return f.deny(e, last.Pos(), "%s does not see the type %s, which is interpreted and no struct; put it into a struct", name, types.TypeString(t, types.RelativeTo(f.src.Types)))
	}
	return fmt.Sprintf("%s.%s(%s)", boxAlias, with, strings.Join(args, ", "))
}

// pointee returns what a type points to, or the type itself.
func pointee(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// encodesGob reports whether values of a type encode themselves for package gob.
func (f *fn) encodesGob(t types.Type) bool {
	for _, name := range []string{"GobEncode", "GobDecode", "MarshalBinary", "UnmarshalBinary"} {
		if obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, f.src.Types, name); obj != nil {
			return true
		}
	}
	return false
}

// containing returns the type that contains itself, of those that a type consists of and that package gob encodes, or nil. around holds the types that
// contain it.
func (f *fn) containing(t types.Type, around []types.Type) types.Type {
	t = types.Unalias(t)
	if n, ok := t.(*types.Named); ok {
		if !f.own(n) || isInterface(n) || f.encodesGob(n) {
			return nil
		}
		if slices.ContainsFunc(around, func(u types.Type) bool { return types.Identical(t, u) }) {
			return t
		}
		around = append(slices.Clip(around), n)
	}
	switch u := t.Underlying().(type) {
	case *types.Map:
		if key := f.containing(u.Key(), around); key != nil {
			return key
		}
		return f.containing(u.Elem(), around)
	case *types.Chan:
	case interface{ Elem() types.Type }: // pointers, slices and arrays
		return f.containing(u.Elem(), around)
	case *types.Struct:
		for v := range u.Fields() {
			if v.Exported() {
				if in := f.containing(v.Type(), around); in != nil {
					return in
				}
			}
		}
	}
	return nil
}
