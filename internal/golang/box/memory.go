package box

import (
	"reflect"
	"unsafe"
)

// The functions of package unsafe that the interpreter does not have. A plugin gets them in unsafe mode only.

// UnsafeSlice is unsafe.Slice for a pointer of any type.
func UnsafeSlice(p any, n int) any {
	v := reflect.ValueOf(p)
	return reflect.SliceAt(v.Type().Elem(), v.UnsafePointer(), n).Interface()
}

// UnsafeSliceData is unsafe.SliceData for a slice of any type.
func UnsafeSliceData(list any) any {
	v := reflect.ValueOf(list)
	return reflect.NewAt(v.Type().Elem(), v.UnsafePointer()).Interface()
}

// UnsafeString is unsafe.String.
func UnsafeString(p *byte, n int) string { return unsafe.String(p, n) }

// UnsafeStringData is unsafe.StringData.
func UnsafeStringData(text string) *byte { return unsafe.StringData(text) }
