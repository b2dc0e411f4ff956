package interp

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
)

// methods lets compiled code call the methods of values that the interpreter has put into its boxes, as it does with those of the plugin's
// own types that are in an interface. Repaired source has a function for it that asserts what a value is: see repair.
type methods struct {
	text, json atomic.Pointer[func(any) any]
}

// symbols are what repaired source calls.
func (m *methods) symbols() map[string]reflect.Value {
	return map[string]reflect.Value{
		"texts": reflect.ValueOf(func(find func(any) any) bool { m.text.Store(&find); return true }),
		"jsons": reflect.ValueOf(func(find func(any) any) bool { m.json.Store(&find); return true }),
		// What the functions look for.
		"marshaler": reflect.ValueOf((*json.Marshaler)(nil)), "textMarshaler": reflect.ValueOf((*encoding.TextMarshaler)(nil)),
	}
}

// printable returns values as package fmt is to get them.
func (m *methods) printable(values []any) []any {
	o := opener{find: m.text.Load()}
	var out []any
	for i, v := range values {
		if s, ok := v.(fmt.Stringer); ok {
			v = show(s)
		} else if o.boxed(reflect.ValueOf(v), 0) {
			v = o.open(reflect.ValueOf(v), 0).Interface()
		} else {
			continue
		}
		if out == nil {
			out = append(out, values...)
		}
		out[i] = v
	}
	if out == nil {
		return values
	}
	return out
}

// marshalable returns a value as package json is to get it.
func (m *methods) marshalable(v any) any {
	o := opener{find: m.json.Load(), pointers: true}
	if !o.boxed(reflect.ValueOf(v), 0) {
		return v
	}
	return o.open(reflect.ValueOf(v), 0).Interface()
}

// opener takes values out of boxes.
type opener struct {
	// find returns the value in a box with the methods that are looked for, or nil if it has none of them.
	find *func(any) any
	// pointers says to look behind all pointers, not only one that is given.
	pointers bool
}

// boxed reports whether there is a box in a value.
func (o opener) boxed(v reflect.Value, depth int) bool {
	if depth > plainDepth || !v.IsValid() || !holds(v.Type()) {
		return false
	}
	switch v.Kind() {
	case reflect.Interface:
		return o.boxed(v.Elem(), depth+1)
	case reflect.Pointer:
		return (o.pointers || depth == 0) && o.boxed(v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if o.boxed(v.Index(i), depth+1) {
				return true
			}
		}
	case reflect.Map:
		for each := v.MapRange(); each.Next(); {
			if o.boxed(each.Value(), depth+1) {
				return true
			}
		}
	case reflect.Struct:
		if isBox(v.Type()) {
			return true
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && o.boxed(v.Field(i), depth+1) {
				return true
			}
		}
	default:
	}
	return false
}

// open returns a value with what is in boxes in the place of these. What the plugin may still hold is copied, not changed.
func (o opener) open(v reflect.Value, depth int) reflect.Value {
	if !o.boxed(v, depth) {
		return v
	}
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.Interface:
		if inside := o.open(v.Elem(), depth+1); inside.IsValid() && inside.Type().AssignableTo(v.Type()) {
			out.Set(inside)
		}
	case reflect.Pointer:
		out.Set(reflect.New(v.Type().Elem()))
		out.Elem().Set(o.open(v.Elem(), depth+1))
	case reflect.Slice:
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			out.Index(i).Set(o.open(v.Index(i), depth+1))
		}
	case reflect.Map:
		out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
		for each := v.MapRange(); each.Next(); {
			out.SetMapIndex(each.Key(), o.open(each.Value(), depth+1))
		}
	case reflect.Struct:
		if isBox(v.Type()) {
			return o.unbox(v, depth)
		}
		out.Set(v)
		for i := range v.NumField() {
			if out.Field(i).CanSet() {
				out.Field(i).Set(o.open(v.Field(i), depth+1))
			}
		}
	default:
	}
	return out
}

// unbox returns what is in a box: something that has the methods looked for, or the value without any.
func (o opener) unbox(box reflect.Value, depth int) reflect.Value {
	if o.find != nil {
		if found := (*o.find)(box.Interface()); found != nil {
			if s, ok := found.(fmt.Stringer); ok {
				found = show(s)
			}
			return reflect.ValueOf(found)
		}
	}
	inside, ok := unbox(box).(reflect.Value)
	if !ok || !inside.IsValid() || !inside.CanInterface() {
		return reflect.Zero(reflect.TypeFor[any]())
	}
	// The place of the value may not be read by what gets it, only the value.
	return o.open(reflect.ValueOf(inside.Interface()), depth+1)
}

// holding says of types whether a value could have a box in it.
var holding sync.Map

// holds reports whether a value of a type could have a box in it.
func holds(t reflect.Type) bool {
	if known, ok := holding.Load(t); ok {
		return known.(bool) //nolint:forcetypeassert // nothing else is stored
	}
	// A type that has itself as a part is not asked again. To look without need does no harm.
	holding.Store(t, true)
	found := isBox(t)
	switch t.Kind() {
	case reflect.Interface:
		found = true
	case reflect.Slice, reflect.Array, reflect.Pointer, reflect.Map:
		found = holds(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			found = found || f.IsExported() && holds(f.Type)
		}
	default:
	}
	holding.Store(t, found)
	return found
}
