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

// methods lets compiled code call the methods of values that the interpreter wraps in its own interface values, as it does with
// values of the plugin's own types in an interface. Repaired source registers a function for this that asserts the type of a
// value: see repair.
type methods struct {
	text, json atomic.Pointer[func(any) any]
}

// symbols returns the symbols that repaired source uses.
func (m *methods) symbols() map[string]reflect.Value {
	return map[string]reflect.Value{
		"texts": reflect.ValueOf(func(find func(any) any) bool { m.text.Store(&find); return true }),
		"jsons": reflect.ValueOf(func(find func(any) any) bool { m.json.Store(&find); return true }),
		// The interfaces that the functions look for.
		"marshaler": reflect.ValueOf((*json.Marshaler)(nil)), "textMarshaler": reflect.ValueOf((*encoding.TextMarshaler)(nil)),
	}
}

// printable returns values in the form that package fmt must receive.
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

// marshalable returns a value in the form that package json must receive.
func (m *methods) marshalable(v any) any {
	o := newOpener(m.json.Load(), true)
	if !o.findsInterfaceValue(reflect.ValueOf(v), 0) {
		return v
	}
	return o.open(reflect.ValueOf(v), 0).Interface()
}

// opener replaces the interface values within a value with their contents.
type opener struct {
	// find returns the content of an interface value with the methods that are looked for, or nil if it has none of them.
	find *func(any) any
	// json selects the rules of package json: follow all pointers, not only one at the top level, and ignore fields that
	// package json omits.
	json bool
	// searched holds the pointers that were followed. opened maps the pointers that were opened to their replacements.
	searched map[unsafe.Pointer]bool
	opened   map[unsafe.Pointer]reflect.Value
}

func newOpener(find *func(any) any, json bool) opener {
	return opener{find, json, map[unsafe.Pointer]bool{}, map[unsafe.Pointer]reflect.Value{}}
}

// follows reports whether a pointer is followed.
func (o opener) follows(v reflect.Value, depth int) bool { return (o.json || depth == 0) && !v.IsNil() }

// sees reports whether a field is considered.
func (o opener) sees(f reflect.StructField) bool {
	return f.IsExported() && (!o.json || f.Tag.Get("json") != "-") && holds(f.Type)
}

// findsInterfaceValue reports whether a value contains an interface value.
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

// open returns a value in which interface values are replaced by their contents. Values that the plugin may still hold are
// copied, not changed.
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

// fitting returns the opened value of inside if it is assignable to t, and before otherwise.
func (o opener) fitting(inside, before reflect.Value, t reflect.Type, depth int) reflect.Value {
	if v := o.open(inside, depth+1); v.IsValid() && v.Type().AssignableTo(t) {
		return v
	}
	return before
}

// openPointer opens the target of a pointer, once for each pointer, because a pointer may lead back to itself.
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
		t = reflect.SliceOf(elem) // also for an array: it is printed and encoded in the same way
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

// loose returns the element type of an opened slice or map. If the element type is an interface of the plugin's own, the
// elements are interface values and the type is any.
func loose(elem reflect.Type) reflect.Type {
	if isInterfaceValue(elem) {
		return reflect.TypeFor[any]()
	}
	return elem
}

// content returns the content of an interface value: a value with the methods that are looked for, or the plain value.
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
	// The receiver may read only the value, not the variable that holds it, so the value is copied.
	v := reflect.ValueOf(inside.Interface())
	if !v.IsValid() {
		return reflect.Zero(reflect.TypeFor[any]())
	}
	return o.open(v, depth+1)
}

// holding caches the results of holds by type.
var holding sync.Map

// holds reports whether a value of a type could contain an interface value.
func holds(t reflect.Type) bool {
	if known, ok := holding.Load(t); ok {
		return known.(bool) //nolint:forcetypeassert // nothing else is stored
	}
	// The preliminary result ends the recursion for recursive types. A search that finds nothing is harmless.
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
