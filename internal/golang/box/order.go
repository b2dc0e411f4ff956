package box

import (
	"reflect"
	"slices"
	"strings"
)

// sortedKeys returns the keys of a map in the order of package fmt.
func sortedKeys(v reflect.Value) []reflect.Value {
	keys := v.MapKeys()
	slices.SortStableFunc(keys, compare)
	return keys
}

func compare(a, b reflect.Value) int {
	if a.Kind() != b.Kind() {
		return int(a.Kind()) - int(b.Kind())
	}
	less := func(a, b bool) int {
		switch {
		case a:
			return -1
		case b:
			return 1
		}
		return 0
	}
	switch a.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return less(a.Int() < b.Int(), b.Int() < a.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return less(a.Uint() < b.Uint(), b.Uint() < a.Uint())
	case reflect.Float32, reflect.Float64:
		return less(a.Float() < b.Float(), b.Float() < a.Float())
	case reflect.String:
		return strings.Compare(a.String(), b.String())
	case reflect.Bool:
		return less(!a.Bool() && b.Bool(), a.Bool() && !b.Bool())
	case reflect.Struct:
		if x, ok := reflect.TypeAssert[boxed](a); ok {
			y, _ := reflect.TypeAssert[boxed](b)
			return compare(reflect.ValueOf(x.content().V), reflect.ValueOf(y.content().V))
		}
		for i := range a.NumField() {
			if c := compare(reach(a.Field(i)), reach(b.Field(i))); c != 0 {
				return c
			}
		}
	case reflect.Array:
		for i := range a.Len() {
			if c := compare(a.Index(i), b.Index(i)); c != 0 {
				return c
			}
		}
	case reflect.Interface:
		if !a.IsNil() && !b.IsNil() {
			return compare(a.Elem(), b.Elem())
		}
	default:
	}
	return 0
}
