package box

import (
	"fmt"
	"reflect"
)

// gobLoad copies a value to its model. encode is set if the model is to be encoded, and always if zero values are encoded, too.
func (s *Space) gobLoad(t *Type, v, m reflect.Value, encode, always bool) error {
	if v.Kind() == reflect.Interface && t.parts().kind != iface {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	for _, g := range gobMethods {
		switch {
		case m.Type() != g.typ:
		case !encode || !always && v.IsZero():
			return nil
		default:
			return gobByMethod(t, v, m, g.encode)
		}
	}
	switch b := t.parts(); b.kind {
	case record:
		return s.gobLoadRecord(b, v, m, encode)
	case pointer:
		if v.IsNil() {
			return nil
		}
		m.Set(reflect.New(m.Type().Elem()))
		return s.gobLoad(b.elem, v.Elem(), m.Elem(), encode, always)
	case slice, array:
		return s.gobLoadList(b, v, m, encode)
	case mapping:
		return s.gobLoadMap(b, v, m, encode)
	case iface:
		return s.gobLoadInterface(v, m, encode)
	default:
		if v.Type().ConvertibleTo(m.Type()) {
			m.Set(v.Convert(m.Type()))
		}
	}
	return nil
}

func (s *Space) gobLoadRecord(b *Type, v, m reflect.Value, encode bool) error {
	for i, f := range b.fields {
		if !f.sent() {
			continue
		}
		if err := s.gobLoad(f.typ, reach(v.Field(i)), m.FieldByName(f.name), encode, false); err != nil {
			return err
		}
	}
	return nil
}

func (s *Space) gobLoadList(b *Type, v, m reflect.Value, encode bool) error {
	if b.kind == slice {
		if v.IsNil() {
			return nil
		}
		m.Set(reflect.MakeSlice(m.Type(), v.Len(), v.Len()))
	}
	for i := range v.Len() {
		if err := s.gobLoad(b.elem, v.Index(i), m.Index(i), encode, true); err != nil {
			return err
		}
	}
	return nil
}

// gobByMethod encodes a value by its method, which may be one of a pointer to it.
func gobByMethod(t *Type, v, m reflect.Value, name string) error {
	if !v.CanAddr() {
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		v = c
	}
	f, ok := methodOn(t, v, name).(func() ([]byte, error))
	if !ok {
		return fmt.Errorf("gob: the type %s has no method %s", t, name)
	}
	b, err := f()
	m.Set(reflect.ValueOf(gobBytes{string(b), true}).Convert(m.Type()))
	return err
}

func (s *Space) gobLoadMap(b *Type, v, m reflect.Value, encode bool) error {
	if v.IsNil() {
		return nil
	}
	m.Set(reflect.MakeMap(m.Type()))
	for each := v.MapRange(); each.Next(); {
		key, elem := reflect.New(m.Type().Key()).Elem(), reflect.New(m.Type().Elem()).Elem()
		if err := s.gobLoad(b.key, each.Key(), key, encode, true); err != nil {
			return err
		}
		if err := s.gobLoad(b.elem, each.Value(), elem, encode, true); err != nil {
			return err
		}
		m.SetMapIndex(key, elem)
	}
	return nil
}

// gobLoadInterface copies the value in an interface. A decoder never looks at it.
func (s *Space) gobLoadInterface(v, m reflect.Value, encode bool) error {
	if v.IsNil() || !encode {
		return nil
	}
	t, x := dynamic(nil, v)
	if t == nil {
		m.Set(x)
		return nil
	}
	model, err := gobModel(t, nil)
	if err != nil {
		return err
	}
	if !s.isRegistered(model) {
		return fmt.Errorf("gob: type not registered for interface: %s", t.target())
	}
	to := reflect.New(model).Elem()
	err = s.gobLoad(t, x, to, true, true)
	m.Set(to)
	return err
}

// gobRegistered is a type that the plugin registered, and what the interpreter has for it.
type gobRegistered struct {
	t   *Type
	raw reflect.Type
}

// isRegistered reports whether a type with a model, or a pointer to it or to which it points, was registered.
func (s *Space) isRegistered(model reflect.Type) bool {
	for model.Kind() == reflect.Pointer {
		model = model.Elem()
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.registered[model].t != nil || s.registered[reflect.PointerTo(model)].t != nil
}

// gobStore copies what was decoded.
func (s *Space) gobStore(t *Type, v, m reflect.Value) error {
	if t.hidden != nil && v.Kind() == reflect.Interface && t.base().kind != iface {
		inside := reflect.New(t.hidden).Elem()
		if !v.IsNil() {
			inside.Set(v.Elem())
		}
		err := s.gobStore(t, inside, m)
		if v.SetZero(); !inside.IsZero() {
			v.Set(inside)
		}
		return err
	}
	for _, g := range gobMethods {
		if m.Type() == g.typ {
			return gobStoreBytes(t, v, m.Convert(reflect.TypeFor[gobBytes]()).Interface().(gobBytes), g.decode) //nolint:forcetypeassert // see the conversion
		}
	}
	switch b := t.parts(); b.kind {
	case record:
		for i, f := range b.fields {
			if !f.sent() {
				continue
			}
			if err := s.gobStore(f.typ, reach(v.Field(i)), m.FieldByName(f.name)); err != nil {
				return err
			}
		}
	case pointer:
		if m.IsNil() {
			return nil
		}
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return s.gobStore(b.elem, v.Elem(), m.Elem())
	case slice, array:
		return s.gobStoreList(b, v, m)
	case mapping:
		return s.gobStoreMap(b, v, m)
	case iface:
		return s.gobStoreInterface(t, v, m)
	default:
		if m.Type().ConvertibleTo(v.Type()) {
			v.Set(m.Convert(v.Type()))
		}
	}
	return nil
}

func gobStoreBytes(t *Type, v reflect.Value, g gobBytes, name string) error {
	if !g.set {
		return nil
	}
	f, ok := methodOn(t, v, name).(func([]byte) error)
	if !ok {
		return fmt.Errorf("gob: the type %s has no method %s", t, name)
	}
	return f([]byte(g.bytes))
}

func (s *Space) gobStoreList(b *Type, v, m reflect.Value) error {
	if b.kind == slice {
		if m.IsNil() {
			return nil
		}
		if v.Cap() < m.Len() {
			grown := reflect.MakeSlice(v.Type(), m.Len(), m.Len())
			reflect.Copy(grown, v)
			v.Set(grown)
		}
		v.SetLen(m.Len())
	}
	for i := range m.Len() {
		if err := s.gobStore(b.elem, v.Index(i), m.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Space) gobStoreMap(b *Type, v, m reflect.Value) error {
	if m.IsNil() {
		return nil
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	for each := m.MapRange(); each.Next(); {
		key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		if err := s.gobStore(b.key, key, each.Key()); err != nil {
			return err
		}
		if b.elem.base().kind != iface || !each.Value().IsNil() {
			if err := s.gobStore(b.elem, elem, each.Value()); err != nil {
				return err
			}
		}
		v.SetMapIndex(key, elem)
	}
	return nil
}

func (s *Space) gobStoreInterface(t *Type, v, m reflect.Value) error {
	if m.IsNil() {
		return nil
	}
	in := m.Elem()
	s.mu.RLock()
	own := s.registered[in.Type()]
	s.mu.RUnlock()
	x := in.Interface()
	if own.t != nil {
		made := reflect.New(own.raw).Elem()
		if err := s.gobStore(own.t, made, in); err != nil {
			return err
		}
		x = s.boxed(made.Interface(), own.t)
	}
	if missing := t.missing(open(x)); missing != "" {
		return fmt.Errorf("gob: %s is not assignable to type %s", nameOf(open(x)), t)
	}
	if t.exact != nil {
		x = s.To(x, t.id)
	}
	v.Set(reflect.ValueOf(x))
	return nil
}
