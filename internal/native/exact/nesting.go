package exact

import (
	"fmt"
	"reflect"
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
		for each := v.MapRange(); each.Next() && err == nil; {
			err = cyclic(each.Value(), depth+1)
		}
	case reflect.Slice, reflect.Array:
		if k := v.Type().Elem().Kind(); k < reflect.Array || k == reflect.String {
			return nil // the elements cannot contain other values
		}
		for i := 0; i < v.Len() && err == nil; i++ {
			err = cyclic(v.Index(i), depth+1)
		}
	case reflect.Struct:
		for i := 0; i < v.NumField() && err == nil; i++ {
			if v.Type().Field(i).IsExported() {
				err = cyclic(v.Field(i), depth+1)
			}
		}
	default:
	}
	return err
}
