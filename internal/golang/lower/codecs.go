package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// codecCalls holds the functions that encode and decode values by package reflect alone, so that they see a value of a plain type as it is. A name
// is that of the function of package box that is called instead, because package xml asks the type of a value for its name.
var codecCalls = map[string]string{
	"(*encoding/gob.Encoder).Encode": "", "(*encoding/gob.Decoder).Decode": "", "encoding/xml.Unmarshal": "", "(*encoding/xml.Decoder).Decode": "",
	"(*encoding/xml.Encoder).EncodeElement": "", "(*encoding/xml.Decoder).DecodeElement": "",
	"encoding/xml.Marshal": "XMLMarshal", "encoding/xml.MarshalIndent": "XMLMarshal", "(*encoding/xml.Encoder).Encode": "XMLEncode",
}

// codecMethods lists the methods by which values encode and decode themselves.
var codecMethods = []string{
	"MarshalXML", "UnmarshalXML", "MarshalXMLAttr", "UnmarshalXMLAttr", "MarshalText", "UnmarshalText", "MarshalBinary", "UnmarshalBinary", "AppendText", "AppendBinary",
	"GobEncode", "GobDecode",
}

// codes lowers a call of a function of codecCalls whose arguments have plain types.
func (f *fn) codes(e *ast.CallExpr, name, callee string) (string, bool) {
	with, known := codecCalls[name]
	if !known {
		return "", false
	}
	for _, a := range e.Args {
		if !f.plain(f.typeOf(a), nil) {
			return "", false
		}
	}
	var args []string
	for _, a := range e.Args {
		args = append(args, f.expr(a))
	}
	if root := f.rootName(f.typeOf(e.Args[0])); with != "" && root != "" {
		first := strconv.Quote(root)
		if with == "XMLEncode" {
			first = strings.TrimSuffix(callee, ".Encode") + ", " + first
		}
		return fmt.Sprintf("%s.%s(%s, %s)", boxAlias, with, first, strings.Join(args, ", ")), true
	}
	return callee + "(" + strings.Join(args, ", ") + ")", true
}

// rootName returns the name of the element that package xml writes for a type of the source, or "" if the value says it, or the type is not of the source.
func (f *fn) rootName(t types.Type) string {
	switch u := types.Unalias(t).(type) {
	case *types.Pointer:
		return f.rootName(u.Elem())
	case *types.Slice:
		return f.rootName(u.Elem())
	case *types.Array:
		return f.rootName(u.Elem())
	case *types.Named:
		if s, ok := u.Underlying().(*types.Struct); !f.own(u) || ok && s.NumFields() > 0 && s.Field(0).Name() == "XMLName" {
			return ""
		}
		name, _, _ := strings.Cut(u.Obj().Name(), "[")
		return name
	}
	return ""
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
