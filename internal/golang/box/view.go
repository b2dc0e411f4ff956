package box

import (
	"fmt"
	"reflect"
	plain "text/template"
)

// seen is a value of an own type in a template. place is the struct that it is or points to; empty for others.
type seen struct {
	Value

	place reflect.Value
}

// view returns a value as a template sees it: values of own types are boxes. all asks for lists, maps, numbers and texts themselves; the
// elements of lists and maps are views.
func view(t *Type, v reflect.Value, all bool, depth int) any {
	if depth > maxData {
		panic(fmt.Sprintf("the data of a template is nested more than %d deep, or refers to itself", maxData))
	}
	t, v = dynamic(t, v)
	if !v.IsValid() {
		return nil
	}
	b := t.base()
	if b == nil {
		return v.Interface()
	}
	if !all && b.kind != pointer && b.kind != record && v.Kind() != reflect.Func {
		return seen{Value{t, v.Interface()}, reflect.Value{}}
	}
	switch b.kind {
	case pointer:
		switch {
		case v.IsNil():
			return v.Interface()
		case b.elem.base().kind == record:
			return seen{Value{t, v.Interface()}, v.Elem()}
		}
		return view(b.elem, v.Elem(), all, depth+1)
	case record:
		return seen{Value{t, v.Interface()}, v}
	case slice, array:
		if b.kind == slice && v.IsNil() {
			return []any(nil)
		}
		out := make([]any, v.Len())
		for i := range out {
			out[i] = view(b.elem, v.Index(i), false, depth+1)
		}
		return out
	case mapping:
		out := reflect.MakeMap(reflect.MapOf(v.Type().Key(), anyType))
		for each := v.MapRange(); each.Next(); {
			elem := reflect.New(anyType).Elem()
			if x := view(b.elem, each.Value(), false, depth+1); x != nil {
				elem.Set(reflect.ValueOf(x))
			}
			out.SetMapIndex(each.Key(), elem)
		}
		return out.Interface()
	}
	return v.Interface()
}

// dynamic returns the type and the value in an interface. The type is nil for one of compiled code.
func dynamic(t *Type, v reflect.Value) (*Type, reflect.Value) {
	for v.IsValid() && v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil, reflect.Value{}
		}
		if b, ok := open(v.Interface()).(boxed); ok {
			t, v = b.content().T, reflect.ValueOf(b.content().V)
			if s, ok := b.(seen); ok && s.place.IsValid() && t.base().kind == record {
				v = s.place
			}
			continue
		}
		if v = v.Elem(); t != nil && t.kind == iface {
			t = nil
		}
	}
	if t != nil && t.kind == native {
		t = nil
	}
	return t, v
}

func viewAny(v any) any {
	if s, ok := v.(seen); ok {
		return s
	}
	return view(nil, reflect.ValueOf(&v).Elem(), false, 0)
}

func plainAny(v any) any {
	if s, ok := v.(seen); ok && s.place.IsValid() {
		return s
	}
	return view(nil, reflect.ValueOf(&v).Elem(), true, 0)
}

// trueAny returns a value of which package template finds out whether it is true.
func trueAny(v any) any {
	p := plainAny(v)
	if yes, ok := plain.IsTrue(p); yes || !ok {
		return viewAny(v)
	}
	return p
}

// textAny returns a value for functions such as print, which look for strings.
func textAny(v any) any {
	if s, ok := v.(seen); ok && reflect.ValueOf(s.V).Kind() == reflect.String {
		return fmt.Sprint(s)
	}
	return v
}

// showAny returns what an action prints: what a pointer refers to, unless the pointer prints itself.
func showAny(v any) any {
	s, ok := viewAny(v).(seen)
	if !ok {
		return v
	}
	if !s.place.IsValid() {
		if s.stringer(s.T) {
			return printing{s.Value}
		}
		return v
	}
	t := s.T.target()
	for _, u := range []*Type{t, t.pointer} {
		for _, name := range []string{"Error", "String"} {
			if u == nil || u.methods[name].signature != "func() string" {
				continue
			}
			if u != t && s.place.CanAddr() {
				return Value{u, s.place.Addr().Interface()}
			}
			if u == t && s.stringer(t) {
				return printing{Value{t, s.place.Interface()}}
			}
			if u == t {
				return Value{t, s.place.Interface()}
			}
		}
	}
	return Value{t, s.place.Interface()}
}

// stringer reports whether package html/template takes a value for its text in a script: it does so unless the value encodes itself.
func (s seen) stringer(t *Type) bool {
	_, encodes := s.T.methods["MarshalJSON"]
	return !encodes && t.methods["String"].signature == "func() string"
}

// printing is a value without the method of boxes that encodes them.
type printing struct{ v Value }

func (p printing) String() string { return p.v.String() }

// Format prints the value.
func (p printing) Format(state fmt.State, verb rune) { p.v.Format(state, verb) }
