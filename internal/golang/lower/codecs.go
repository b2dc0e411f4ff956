package lower

import (
	"go/ast"
	"go/types"
	"slices"
)

// codecCalls holds the functions that encode and decode values by package reflect alone, so that they see a value of a plain type as it is.
var codecCalls = map[string]bool{"(*encoding/gob.Encoder).Encode": true, "(*encoding/gob.Decoder).Decode": true}

// codecMethods lists the methods by which values encode and decode themselves.
var codecMethods = []string{
	"MarshalXML", "UnmarshalXML", "MarshalXMLAttr", "UnmarshalXMLAttr", "MarshalText", "UnmarshalText", "MarshalBinary", "UnmarshalBinary", "AppendText", "AppendBinary",
	"GobEncode", "GobDecode",
}

// codes lowers a call of a function of codecCalls whose arguments have plain types.
func (f *fn) codes(e *ast.CallExpr, name, callee string) (string, bool) {
	if !codecCalls[name] || !f.plain(f.typeOf(e.Args[0]), nil) {
		return "", false
	}
	return callee + "(" + f.expr(e.Args[0]) + ")", true
}

// plain reports whether package reflect sees values of a type in the interpreter as it would in Go, apart from the name of the type: it consists of
// structs with exported fields, and of nothing that encodes itself, contains itself or holds interface values. around holds the types that contain it.
func (f *fn) plain(t types.Type, around []types.Type) bool {
	t = types.Unalias(t)
	for _, u := range around {
		if types.Identical(t, u) {
			return false
		}
	}
	if n, ok := t.(*types.Named); ok {
		if !f.own(n) {
			return !isInterface(n)
		}
		for _, name := range codecMethods {
			if obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(n), true, n.Obj().Pkg(), name); obj != nil {
				return false
			}
		}
		around = append(slices.Clip(around), n)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Map:
		return f.plain(u.Key(), around) && f.plain(u.Elem(), around)
	case interface{ Elem() types.Type }: // pointers, slices, arrays and channels
		return !isChan(t) && f.plain(u.Elem(), around)
	case *types.Struct:
		for i := range u.NumFields() {
			if v := u.Field(i); !v.Exported() || v.Embedded() || f.hiddenField(u, i) || !f.plain(v.Type(), around) {
				return false
			}
		}
		return true
	}
	return false
}
