package lower

import (
	"go/token"
	"go/types"
)

// maxTypeText is the maximum size of a type that is written out, in bytes, and maxTypeParts that of the types in it. A short declaration
// can stand for a type of any size, such as a struct with two fields of such a struct.
const (
	maxTypeText  = 16 << 10
	maxTypeParts = 10_000
)

// limitParts refuses a type that consists of too many types.
func limitParts(t types.Type) {
	left := maxTypeParts
	var walk func(t types.Type)
	walk = func(t types.Type) {
		if left--; left < 0 {
			refuse(token.NoPos, "a type of the package consists of more than %d types; declare named types for its parts", maxTypeParts)
		}
		switch t := types.Unalias(t).(type) {
		case *types.Named:
			for a := range t.TypeArgs().Types() {
				walk(a)
			}
		case interface{ Elem() types.Type }: // pointers, slices, arrays, channels and maps
			if m, ok := t.(*types.Map); ok {
				walk(m.Key())
			}
			walk(t.Elem())
		case *types.Tuple:
			for v := range t.Variables() {
				walk(v.Type())
			}
		case *types.Signature:
			walk(t.Params())
			walk(t.Results())
		case *types.Struct:
			for v := range t.Fields() {
				walk(v.Type())
			}
		case *types.Interface:
			for m := range t.Methods() {
				walk(m.Signature())
			}
		}
	}
	walk(t)
}
