package exact

import (
	"fmt"
	"reflect"
	"slices"
)

// MaxNesting is how deeply lists and maps may be nested.
const MaxNesting = 1024

// CheckNesting returns an error for a value that contains itself, because an encoder would follow it until the process dies.
func CheckNesting(v any) error { return cyclic(reflect.ValueOf(v), 0) }

func cyclic(v reflect.Value, depth int) error {
	if depth > 8*MaxNesting {
		return fmt.Errorf("a value holds itself, or is nested more than %d levels deep", MaxNesting)
	}
	var err error
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			err = cyclic(v.Elem(), depth+1)
		}
	case reflect.Map:
		if leaf(v.Type().Elem()) {
			return nil
		}
		for each := v.MapRange(); each.Next() && err == nil; {
			err = cyclic(each.Value(), depth+1)
		}
	case reflect.Slice, reflect.Array:
		if leaf(v.Type().Elem()) {
			return nil
		}
		for i := 0; i < v.Len() && err == nil; i++ {
			err = cyclic(v.Index(i), depth+1)
		}
	case reflect.Struct:
		for _, f := range fieldsOf(v.Type()) {
			if f.nests && err == nil {
				err = cyclic(v.Field(f.index), depth+1)
			}
		}
	default:
	}
	return err
}

// leaf reports whether values of a type cannot contain other values.
func leaf(t reflect.Type) bool {
	k := t.Kind()
	return k < reflect.Array || k == reflect.String
}

// nests reports whether a value of a type may contain itself: something in it may be of any type, or of one of the types around it.
func nests(t reflect.Type, around ...reflect.Type) bool {
	if slices.Contains(around, t) {
		return true
	}
	around = append(slices.Clip(around), t)
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Map, reflect.Slice, reflect.Array, reflect.Pointer:
		return nests(t.Elem(), around...)
	case reflect.Struct:
		for i := range t.NumField() { //nolint:modernize // Go 1.25, which has no Type.Fields, compiles this package, too
			if f := t.Field(i); f.IsExported() && nests(f.Type, around...) {
				return true
			}
		}
	default:
	}
	return false
}
