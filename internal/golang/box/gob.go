package box

import (
	"encoding/gob"
	"fmt"
	"reflect"
	"slices"
)

// gobText is a value that encodes itself by GobEncode, and gobBinary one that does so by MarshalBinary. set is true if there is an encoding.
type (
	gobText   gobBytes
	gobBinary gobBytes
	gobBytes  struct {
		bytes string
		set   bool
	}
)

// GobEncode returns the encoding.
func (g gobText) GobEncode() ([]byte, error) { return []byte(g.bytes), nil }

// GobDecode keeps an encoding.
func (g *gobText) GobDecode(b []byte) error { *g = gobText{string(b), true}; return nil }

// MarshalBinary returns the encoding.
func (g gobBinary) MarshalBinary() ([]byte, error) { return []byte(g.bytes), nil }

// UnmarshalBinary keeps an encoding.
func (g *gobBinary) UnmarshalBinary(b []byte) error {
	*g = gobBinary{string(b), true}
	return nil
}

// gobMethods lists the methods by which values encode and decode themselves, and the types that stand for such values.
var gobMethods = []struct {
	encode, decode string
	typ            reflect.Type
}{{"GobEncode", "GobDecode", reflect.TypeFor[gobText]()}, {"MarshalBinary", "UnmarshalBinary", reflect.TypeFor[gobBinary]()}}

// gobOwn returns the type and the value of what package gob cannot encode as it is.
func gobOwn(v any) (*Type, reflect.Value, bool) {
	if b, ok := open(v).(boxed); ok {
		return b.content().T, reflect.ValueOf(b.content().V), true
	}
	if r := reflect.ValueOf(v); r.IsValid() {
		if t := holding(r.Type(), false); t != nil {
			return t, r, true
		}
	}
	return nil, reflect.Value{}, false
}

// GobWrite calls encode with a value that package gob encodes as it would encode v if v were compiled.
func (s *Space) GobWrite(v any, encode func(any) error) error {
	t, r, ok := gobOwn(v)
	if !ok || r.Kind() == reflect.Pointer && r.IsNil() {
		return encode(Plain(v))
	}
	m, err := gobModel(t, nil)
	if err != nil {
		return err
	}
	to := reflect.New(m).Elem()
	if err := s.gobLoad(t, r, to, true, true); err != nil {
		return err
	}
	return encode(to.Interface())
}

// GobRead decodes into what p points to.
func (s *Space) GobRead(p any, decode func(any) error) error {
	t, r, ok := gobOwn(p)
	if !ok || t.base().kind != pointer || r.IsNil() {
		return decode(Plain(p))
	}
	m, err := gobModel(t.base().elem, nil)
	if err != nil {
		return err
	}
	from := reflect.New(m)
	if err := s.gobLoad(t.base().elem, r.Elem(), from.Elem(), false, true); err != nil {
		return err
	}
	failed := decode(from.Interface())
	if err := s.gobStore(t.base().elem, r.Elem(), from.Elem()); failed == nil {
		failed = err
	}
	return failed
}

// GobRegister is gob.Register.
func (s *Space) GobRegister(v any) { s.GobRegisterName("", v) }

// GobRegisterName is gob.RegisterName, or gob.Register if there is no name.
func (s *Space) GobRegisterName(name string, v any) {
	b, ok := open(v).(boxed)
	switch {
	case !ok && name == "":
		gob.Register(v)
		return
	case !ok:
		gob.RegisterName(name, v)
		return
	}
	t := b.content().T
	m, err := gobModel(t, nil)
	if err != nil {
		panic(err.Error())
	}
	base, star := t, ""
	for base.base().kind == pointer {
		base, star = base.base().elem, "*"
	}
	if name == "" {
		name = star + t.name
		if base.kind == defined {
			name = star + base.path + "." + base.title()
		}
	}
	gob.RegisterName(name, reflect.New(m).Elem().Interface())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.registered == nil {
		s.registered = map[reflect.Type]gobRegistered{}
	}
	s.registered[m] = gobRegistered{t, reflect.TypeOf(b.content().V)}
}

// gobModel returns the type that package gob sees for a type. around holds the types that contain it.
func gobModel(t *Type, around []*Type) (reflect.Type, error) {
	for _, m := range gobMethods {
		for _, u := range []*Type{t, t.pointer} {
			if u != nil && t.base().kind != pointer && (u.methods[m.encode].bind != nil || u.methods[m.decode].bind != nil) {
				return m.typ, nil
			}
		}
	}
	if slices.Contains(around, t) {
		return nil, fmt.Errorf("gob: the type %s contains itself, and a plugin that is interpreted cannot encode it; give it the methods GobEncode and GobDecode", t)
	}
	around = append(slices.Clip(around), t)
	b := t.parts()
	var elem, key reflect.Type
	var err error
	switch b.kind {
	case pointer, slice, array, mapping:
		if elem, err = gobModel(b.elem, around); err == nil && b.kind == mapping {
			key, err = gobModel(b.key, around)
		}
		if err != nil {
			return nil, err
		}
	}
	switch b.kind {
	case pointer:
		return reflect.PointerTo(elem), nil
	case slice:
		return reflect.SliceOf(elem), nil
	case array:
		return reflect.ArrayOf(b.size, elem), nil
	case mapping:
		return reflect.MapOf(key, elem), nil
	case record:
		return gobRecord(t, b, around)
	case native:
		if b.exact != nil {
			return b.exact, nil
		}
	}
	return anyType, nil
}

// gobRecord is gobModel for a struct. The name of its type makes it differ from others with the same fields.
func gobRecord(t, b *Type, around []*Type) (reflect.Type, error) {
	var fields []reflect.StructField
	for _, f := range b.fields {
		if !f.sent() {
			continue
		}
		m, err := gobModel(f.typ, around)
		if err != nil {
			return nil, err
		}
		fields = append(fields, reflect.StructField{Name: f.name, Type: m, Tag: reflect.StructTag(t.path + "." + t.name)})
	}
	return reflect.StructOf(fields), nil
}

// sent reports whether package gob encodes a field.
func (f field) sent() bool {
	t := f.typ
	for t.base().kind == pointer {
		t = t.base().elem
	}
	b := t.base()
	if b.kind == native && b.exact != nil {
		kind := b.exact.Kind()
		return f.exported && kind != reflect.Chan && kind != reflect.Func
	}
	return f.exported && b.kind != other
}
