package box

import (
	"encoding"
	"encoding/json"
	"errors"
	"reflect"
)

// Fill decodes into what v points to. decode decodes into a pointer, as json.Unmarshal does.
func (s *Space) Fill(v any, decode func(any) error) error {
	b, ok := open(v).(boxed)
	if !ok {
		if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer && !r.IsNil() && holding(r.Type().Elem(), false) != nil {
			return fill(holding(r.Type().Elem(), false), r.Elem(), decode)
		}
		return decode(v)
	}
	c := b.content()
	p := c.T.base()
	r := reflect.ValueOf(c.V)
	if p.kind != pointer || r.Kind() != reflect.Pointer || r.IsNil() {
		err := decode(c.V)
		if _, ok := errors.AsType[*json.InvalidUnmarshalError](err); ok {
			return &json.InvalidUnmarshalError{Type: c.T.shown(r.Type())}
		}
		return err
	}
	err := fill(p.elem, r.Elem(), decode)
	if e, ok := err.(*json.UnmarshalTypeError); ok && decodes(p.elem) && e.Type == p.elem.shown(r.Type().Elem()) { //nolint:errorlint // see decodedLater
		e.Type = c.T.shown(r.Type())
	}
	return err
}

// fill decodes into v, which is of type t.
func fill(t *Type, v reflect.Value, decode func(any) error) error {
	m := reflect.New(model(t, nil))
	load(t, v, m.Elem())
	failed := explained(t, decode(m.Interface()))
	// A decoder keeps what it read before an error.
	if err := complete(store(t, v, m.Elem())); failed == nil {
		failed = err
	}
	return failed
}

// storeHidden is store for a field that the interpreter has as any.
func storeHidden(t *Type, v, m reflect.Value) error {
	inside := reflect.New(t.hidden).Elem()
	if !v.IsNil() {
		inside.Set(v.Elem())
	}
	err := store(t, inside, m)
	v.SetZero()
	if !inside.IsZero() {
		v.Set(inside)
	}
	return err
}

func storeSlice(b *Type, v, m reflect.Value) error {
	if m.IsNil() {
		v.SetZero()
		return nil
	}
	// A decoder uses the memory of a slice again.
	out := reflect.MakeSlice(v.Type(), m.Len(), m.Len())
	if n := m.Len(); n > 0 && n <= v.Cap() {
		out = v.Slice(0, n)
	} else {
		reflect.Copy(out, v.Slice(0, v.Cap()))
	}
	for i := range m.Len() {
		if err := store(b.elem, out.Index(i), m.Index(i)); err != nil {
			v.Set(out.Slice(0, min(max(v.Len(), i+1), out.Cap()))) // a decoder shortens it only at the end
			return err
		}
	}
	v.Set(out)
	return nil
}

func storeMap(b *Type, v, m reflect.Value) error {
	if m.IsNil() {
		v.SetZero()
		return nil
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	for each := m.MapRange(); each.Next(); {
		key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		if readsText(b.key) {
			if err := storeKey(b.key, key, each.Key().String()); err != nil {
				return err
			}
		} else if err := store(b.key, key, each.Key()); err != nil {
			return err
		}
		in := reflect.New(m.Type().Elem()).Elem()
		in.Set(each.Value())
		if err := store(b.elem, elem, in); err != nil {
			return err
		}
		v.SetMapIndex(key, elem)
	}
	return nil
}

// readsText reports whether keys of a type decode themselves: they are texts, so that UnmarshalJSON does not matter.
func readsText(t *Type) bool {
	for _, u := range []*Type{t, t.pointer} {
		if u != nil {
			if _, ok := u.methods["UnmarshalText"]; ok {
				return true
			}
		}
	}
	return false
}

func storeKey(t *Type, v reflect.Value, text string) error {
	value := Value{t, v.Interface()}
	if t.pointer != nil {
		value = Value{t.pointer, v.Addr().Interface()}
	}
	if m, ok := value.method("UnmarshalText").(func([]byte) error); ok {
		return m([]byte(text))
	}
	return errMirror
}

// storeLater decodes a value by its methods, or one whose type contains itself.
func storeLater(t *Type, v reflect.Value, text []byte) error {
	if text == nil {
		return nil
	}
	if !decodes(t) {
		if string(text) == "null" {
			switch t.base().kind {
			case pointer, slice, mapping, iface:
				v.SetZero()
			default: // A decoder ignores null.
			}
			return nil
		}
		if t.base().kind == array {
			return decodedLater(fillArray(t.base(), v, text), true)
		}
		return decodedLater(fill(t, v, func(p any) error { return json.Unmarshal(text, p) }), true)
	}
	value := Value{t.pointer, nil}
	if t.pointer != nil {
		value.V = v.Addr().Interface()
	} else {
		value = Value{t, v.Interface()}
	}
	if _, ok := value.T.methods["UnmarshalJSON"]; ok {
		if m, ok := value.method("UnmarshalJSON").(func([]byte) error); ok {
			return decodedLater(m(text), false)
		}
	}
	if m, ok := value.method("UnmarshalText").(func([]byte) error); ok {
		var s string
		if string(text) == "null" {
			return nil
		}
		err := decodedLater(json.Unmarshal(text, &s), false)
		if e, ok := err.(*decodeError); ok { //nolint:errorlint // see decodedLater
			e.Type, e.own = t.shown(v.Type()), true
		}
		if err != nil {
			return err
		}
		return m([]byte(s))
	}
	return errMirror
}

func fillArray(b *Type, v reflect.Value, text []byte) error {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	for i := range min(len(list), v.Len()) {
		if err := fill(b.elem, v.Index(i), func(p any) error { return json.Unmarshal(list[i], p) }); err != nil {
			return err
		}
	}
	for i := len(list); i < v.Len(); i++ {
		v.Index(i).SetZero()
	}
	return nil
}

var _ encoding.TextMarshaler = text{}
