package box

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Fill decodes into what v points to. decode decodes into a pointer, as json.Unmarshal does.
func (s *Space) Fill(v any, decode func(any) error) error {
	b, ok := open(v).(boxed)
	if !ok {
		return decode(v)
	}
	c := b.content()
	p := c.T.base()
	r := reflect.ValueOf(c.V)
	if p.kind != pointer || r.Kind() != reflect.Pointer || r.IsNil() {
		return decode(c.V)
	}
	return fill(p.elem, r.Elem(), decode)
}

// fill decodes into v, which is of type t.
func fill(t *Type, v reflect.Value, decode func(any) error) error {
	m := reflect.New(model(t, nil))
	load(t, v, m.Elem())
	failed := decode(m.Interface())
	// A decoder keeps what it read before an error.
	if err := store(t, v, m.Elem()); failed == nil {
		failed = err
	}
	return failed
}

// later keeps the text of a value that is decoded when the rest is known.
type later struct {
	text []byte
}

func (l *later) UnmarshalJSON(b []byte) error {
	l.text = append([]byte(nil), b...)
	return nil
}

var laterType = reflect.TypeFor[later]()

// decodes reports whether values of a type decode themselves.
func decodes(t *Type) bool {
	for _, u := range []*Type{t, t.pointer} {
		if u == nil {
			continue
		}
		for _, name := range []string{"UnmarshalJSON", "UnmarshalText"} {
			if _, ok := u.methods[name]; ok {
				return true
			}
		}
	}
	return false
}

// model returns the type that package json decodes into for a type. around holds the types that contain it.
func model(t *Type, around []*Type) reflect.Type {
	if decodes(t) {
		return laterType
	}
	if slices.Contains(around, t) {
		return laterType
	}
	around = append(slices.Clip(around), t)
	b := t.base()
	switch b.kind {
	case native:
		if b.exact == nil {
			return anyType
		}
		return b.exact
	case pointer:
		return reflect.PointerTo(model(b.elem, around))
	case slice:
		return reflect.SliceOf(model(b.elem, around))
	case mapping:
		key := reflect.TypeFor[string]()
		if !readsText(b.key) && b.key.base().kind == native && b.key.base().exact != nil {
			key = b.key.base().exact
		}
		return reflect.MapOf(key, model(b.elem, around))
	case record:
		return modelRecord(b, around)
	case array:
		return laterType
	}
	return anyType
}

func modelRecord(b *Type, around []*Type) reflect.Type {
	var fields []reflect.StructField
	for i, f := range b.fields {
		if f.tag.Get("json") == "-" {
			continue
		}
		name, options, _ := strings.Cut(f.tag.Get("json"), ",")
		if f.embedded && name == "" && f.typ.base().kind == record && !decodes(f.typ) {
			fields = append(fields, reflect.StructField{Name: fmt.Sprintf("E%d", i), Type: model(f.typ, around), Anonymous: true})
			continue
		}
		if !f.exported {
			continue
		}
		tag := f.tag
		if name == "" {
			tag = reflect.StructTag(fmt.Sprintf("json:%q", f.name+","+options))
		}
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: model(f.typ, around), Tag: tag})
	}
	return reflect.StructOf(fields)
}

// member returns the field of a model for the field i.
func member(m reflect.Value, i int) reflect.Value {
	for _, prefix := range []string{"E", "F"} {
		// A field of an embedded struct is none of this one.
		if f, ok := m.Type().FieldByName(fmt.Sprint(prefix, i)); ok && len(f.Index) == 1 {
			return m.FieldByIndex(f.Index)
		}
	}
	return reflect.Value{}
}

// load copies what a value holds before it is decoded into.
func load(t *Type, v, m reflect.Value) {
	if m.Type() == laterType {
		return
	}
	if t.hidden != nil && v.Kind() == reflect.Interface {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	switch b := t.base(); b.kind {
	case record:
		for i, f := range b.fields {
			if to := member(m, i); to.IsValid() {
				load(f.typ, reach(v.Field(i)), to)
			}
		}
	case pointer:
		if !v.IsNil() {
			m.Set(reflect.New(m.Type().Elem()))
			load(b.elem, v.Elem(), m.Elem())
		}
	case slice, mapping:
		// Slices are replaced. What a map holds already is kept by store.
	default:
		if v.Type().ConvertibleTo(m.Type()) {
			m.Set(v.Convert(m.Type()))
		}
	}
}

// store copies what was decoded.
func store(t *Type, v, m reflect.Value) error {
	if t.hidden != nil && v.Kind() == reflect.Interface {
		return storeHidden(t, v, m)
	}
	if m.Type() == laterType {
		return storeLater(t, v, m.Interface().(later).text) //nolint:forcetypeassert // see the comparison
	}
	switch b := t.base(); b.kind {
	case record:
		for i, f := range b.fields {
			if from := member(m, i); from.IsValid() {
				if err := store(f.typ, reach(v.Field(i)), from); err != nil {
					return err
				}
			}
		}
	case pointer:
		if m.IsNil() {
			v.SetZero()
			return nil
		}
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return store(b.elem, v.Elem(), m.Elem())
	case slice:
		return storeSlice(b, v, m)
	case mapping:
		return storeMap(b, v, m)
	default:
		if m.Type().ConvertibleTo(v.Type()) {
			v.Set(m.Convert(v.Type()))
		}
	}
	return nil
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
		return nil
	}
	out := reflect.MakeSlice(v.Type(), m.Len(), m.Len())
	for i := range m.Len() {
		if err := store(b.elem, out.Index(i), m.Index(i)); err != nil {
			return err
		}
	}
	v.Set(out)
	return nil
}

func storeMap(b *Type, v, m reflect.Value) error {
	if m.IsNil() {
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
			v.SetZero()
			return nil
		}
		if t.base().kind == array {
			return fillArray(t.base(), v, text)
		}
		return fill(t, v, func(p any) error { return json.Unmarshal(text, p) })
	}
	value := Value{t.pointer, nil}
	if t.pointer != nil {
		value.V = v.Addr().Interface()
	} else {
		value = Value{t, v.Interface()}
	}
	if _, ok := value.T.methods["UnmarshalJSON"]; ok {
		if m, ok := value.method("UnmarshalJSON").(func([]byte) error); ok {
			return m(text)
		}
	}
	if m, ok := value.method("UnmarshalText").(func([]byte) error); ok {
		var s string
		if string(text) == "null" {
			return nil
		}
		if err := json.Unmarshal(text, &s); err != nil {
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
	return nil
}

var _ encoding.TextMarshaler = text{}
