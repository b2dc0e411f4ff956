package interp

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// methods lets compiled code call the methods of values that the interpreter has put into its own interface values, as it does with those of the plugin's
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
	var out []any
	for i, v := range values {
		if s, ok := v.(fmt.Stringer); ok {
			v = show(s)
		} else if o := newOpener(m.text.Load(), false); o.findsInterfaceValue(reflect.ValueOf(v), 0) {
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
	o := newOpener(m.json.Load(), true)
	if !o.findsInterfaceValue(reflect.ValueOf(v), 0) {
		return v
	}
	return o.open(reflect.ValueOf(v), 0).Interface()
}

// opener takes what is in one value out of interface values.
type opener struct {
	// find returns the value in an interface value with the methods that are looked for, or nil if it has none of them.
	find *func(any) any
	// json says to look where package json does: behind all pointers, not only one that is given, and not at what it leaves out.
	json bool
	// searched are the pointers that were followed, opened those whose values were, by what they have become.
	searched map[unsafe.Pointer]bool
	opened   map[unsafe.Pointer]reflect.Value
}

func newOpener(find *func(any) any, json bool) opener {
	return opener{find, json, map[unsafe.Pointer]bool{}, map[unsafe.Pointer]reflect.Value{}}
}

// follows reports whether to look behind a pointer.
func (o opener) follows(v reflect.Value, depth int) bool { return (o.json || depth == 0) && !v.IsNil() }

// sees reports whether a field counts.
func (o opener) sees(f reflect.StructField) bool {
	return f.IsExported() && (!o.json || f.Tag.Get("json") != "-") && holds(f.Type)
}

// findsInterfaceValue reports whether there is an interface value in a value.
func (o opener) findsInterfaceValue(v reflect.Value, depth int) bool {
	if depth > unwrapDepth || !v.IsValid() || !holds(v.Type()) {
		return false
	}
	switch v.Kind() {
	case reflect.Interface:
		return o.findsInterfaceValue(v.Elem(), depth+1)
	case reflect.Pointer:
		if !o.follows(v, depth) || o.searched[v.UnsafePointer()] {
			return false
		}
		o.searched[v.UnsafePointer()] = true
		return o.findsInterfaceValue(v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if o.findsInterfaceValue(v.Index(i), depth+1) {
				return true
			}
		}
	case reflect.Map:
		for each := v.MapRange(); each.Next(); {
			if o.findsInterfaceValue(each.Value(), depth+1) {
				return true
			}
		}
	case reflect.Struct:
		if isInterfaceValue(v.Type()) {
			return true
		}
		for i := range v.NumField() {
			if o.sees(v.Type().Field(i)) && o.findsInterfaceValue(v.Field(i), depth+1) {
				return true
			}
		}
	default:
	}
	return false
}

// open returns a value with what is in interface values in the place of these. What the plugin may still hold is copied, not changed.
func (o opener) open(v reflect.Value, depth int) reflect.Value {
	if depth > unwrapDepth || !v.IsValid() || !holds(v.Type()) {
		return v
	}
	switch v.Kind() {
	case reflect.Interface:
		return o.fitting(v.Elem(), v, v.Type(), depth)
	case reflect.Pointer:
		return o.openPointer(v, depth)
	case reflect.Slice, reflect.Array:
		return o.openList(v, depth)
	case reflect.Map:
		return o.openMap(v, depth)
	case reflect.Struct:
		if isInterfaceValue(v.Type()) {
			return o.content(v, depth)
		}
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			if o.sees(v.Type().Field(i)) {
				out.Field(i).Set(o.fitting(v.Field(i), v.Field(i), v.Type().Field(i).Type, depth))
			}
		}
		return out
	default:
		return v
	}
}

// fitting returns what is inside, opened, if it fits the type, and else what was there before.
func (o opener) fitting(inside, before reflect.Value, t reflect.Type, depth int) reflect.Value {
	if v := o.open(inside, depth+1); v.IsValid() && v.Type().AssignableTo(t) {
		return v
	}
	return before
}

// openPointer opens what a pointer leads to, once: it may lead back to where it is.
func (o opener) openPointer(v reflect.Value, depth int) reflect.Value {
	if !o.follows(v, depth) {
		return v
	}
	known, ok := o.opened[v.UnsafePointer()]
	if ok && known.Type() == v.Type() {
		return known
	}
	out := reflect.New(v.Type().Elem()).Convert(v.Type())
	o.opened[v.UnsafePointer()] = out
	out.Elem().Set(o.fitting(v.Elem(), v.Elem(), v.Type().Elem(), depth))
	return out
}

func (o opener) openList(v reflect.Value, depth int) reflect.Value {
	if v.Kind() == reflect.Slice && v.IsNil() {
		return v
	}
	t, elem := v.Type(), loose(v.Type().Elem())
	if elem != t.Elem() {
		t = reflect.SliceOf(elem) // for an array too: printed and encoded it is the same
	}
	out := reflect.New(t).Elem()
	if t.Kind() == reflect.Slice {
		out = reflect.MakeSlice(t, v.Len(), v.Len())
	}
	for i := range v.Len() {
		out.Index(i).Set(o.fitting(v.Index(i), v.Index(i), elem, depth))
	}
	return out
}

func (o opener) openMap(v reflect.Value, depth int) reflect.Value {
	if v.IsNil() {
		return v
	}
	t, elem := v.Type(), loose(v.Type().Elem())
	if elem != t.Elem() {
		t = reflect.MapOf(t.Key(), elem)
	}
	out := reflect.MakeMapWithSize(t, v.Len())
	for each := v.MapRange(); each.Next(); {
		out.SetMapIndex(each.Key(), o.fitting(each.Value(), each.Value(), elem, depth))
	}
	return out
}

// loose is the type for what was in a list or a map: where they are of an interface of the plugin's own, their elements are interface values.
func loose(elem reflect.Type) reflect.Type {
	if isInterfaceValue(elem) {
		return reflect.TypeFor[any]()
	}
	return elem
}

// content returns what is in an interface value: something that has the methods looked for, or the value without any.
func (o opener) content(iface reflect.Value, depth int) reflect.Value {
	if o.find != nil {
		if found := (*o.find)(iface.Interface()); found != nil {
			if s, ok := found.(fmt.Stringer); ok {
				found = show(s)
			}
			return reflect.ValueOf(found)
		}
	}
	inside, ok := contentOf(iface).(reflect.Value)
	if !ok || !inside.IsValid() || !inside.CanInterface() {
		return reflect.Zero(reflect.TypeFor[any]())
	}
	// The place of the value may not be read by what gets it, only the value.
	v := reflect.ValueOf(inside.Interface())
	if !v.IsValid() {
		return reflect.Zero(reflect.TypeFor[any]())
	}
	return o.open(v, depth+1)
}

// holding says of types whether a value could have an interface value in it.
var holding sync.Map

// holds reports whether a value of a type could have an interface value in it.
func holds(t reflect.Type) bool {
	if known, ok := holding.Load(t); ok {
		return known.(bool) //nolint:forcetypeassert // nothing else is stored
	}
	// A type that has itself as a part is not asked again. To look without need does no harm.
	holding.Store(t, true)
	found := isInterfaceValue(t)
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
