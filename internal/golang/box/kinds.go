package box

import "reflect"

// own reports whether a type is, or contains, a type of the plugin.
func own(t *Type) bool { return t != nil && t.kind != native }

// plainBasic reports whether a type is a number, string or bool without methods that encode.
func plainBasic(t *Type) bool {
	b := t.base()
	if b.kind != native || b.exact == nil {
		return false
	}
	return !encodes(t) && basic(b.exact.Kind()) != nil
}

// encodes reports whether values of a type, or pointers to them, encode themselves.
func encodes(t *Type) bool {
	for u := t; u != nil; u = u.pointer {
		for _, name := range []string{"MarshalJSON", "MarshalText"} {
			if _, ok := u.methods[name]; ok {
				return true
			}
		}
	}
	return false
}

// basic returns the type without a name of a basic kind.
func basic(k reflect.Kind) reflect.Type {
	switch k {
	case reflect.Bool:
		return reflect.TypeFor[bool]()
	case reflect.Int:
		return reflect.TypeFor[int]()
	case reflect.Int8:
		return reflect.TypeFor[int8]()
	case reflect.Int16:
		return reflect.TypeFor[int16]()
	case reflect.Int32:
		return reflect.TypeFor[int32]()
	case reflect.Int64:
		return reflect.TypeFor[int64]()
	case reflect.Uint:
		return reflect.TypeFor[uint]()
	case reflect.Uint8:
		return reflect.TypeFor[uint8]()
	case reflect.Uint16:
		return reflect.TypeFor[uint16]()
	case reflect.Uint32:
		return reflect.TypeFor[uint32]()
	case reflect.Uint64:
		return reflect.TypeFor[uint64]()
	case reflect.Float32:
		return reflect.TypeFor[float32]()
	case reflect.Float64:
		return reflect.TypeFor[float64]()
	case reflect.String:
		return reflect.TypeFor[string]()
	default:
		return nil
	}
}
