package box

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

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
	if t.kind == pointer {
		return false // What it points to does.
	}
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
	b := t.parts()
	switch b.kind {
	case native:
		if b.exact == nil {
			return anyType
		}
		return b.exact
	case iface:
		if len(b.wanted) > 0 {
			return wantedType
		}
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
	for _, f := range b.fields {
		if f.tag.Get("json") == "-" {
			continue
		}
		if f.flat() {
			m := model(f.inside(), around)
			if m != laterType && m != reflect.PointerTo(laterType) {
				fields = append(fields, reflect.StructField{Name: f.member(), Type: m, Anonymous: true})
			}
			continue
		}
		if !f.encoded() {
			continue
		}
		fields = append(fields, reflect.StructField{Name: f.member(), Type: model(f.typ, around), Tag: f.tag})
	}
	return reflect.StructOf(fields)
}

// member returns the name of a field in mirrors and models. It is the field's own, because package json prefers tags to names.
func (f field) member() string {
	if f.exported {
		return f.name
	}
	return "Ǝ" + f.name
}

// flat reports whether the fields of an embedded struct count as those of the struct around it.
func (f field) flat() bool {
	name, _, _ := strings.Cut(f.tag.Get("json"), ",")
	return f.embedded && name == "" && f.structural() && !decodes(f.inside().target())
}

// member returns the field of a model for a field.
func member(m reflect.Value, f field) reflect.Value {
	// A field of an embedded struct is none of this one.
	if f, ok := m.Type().FieldByName(f.member()); ok && len(f.Index) == 1 {
		return m.FieldByIndex(f.Index)
	}
	return reflect.Value{}
}

// load copies what a value holds before it is decoded into.
func load(t *Type, v, m reflect.Value) {
	if m.Type() == laterType {
		return
	}
	if v.Kind() == reflect.Interface && t.kind != iface {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	switch b := t.parts(); b.kind {
	case record:
		for i, f := range b.fields {
			if to := member(m, f); to.IsValid() {
				load(f.decoded(), reach(v.Field(i)), to)
			}
		}
	case pointer:
		if !v.IsNil() {
			m.Set(reflect.New(m.Type().Elem()))
			load(b.elem, v.Elem(), m.Elem())
		}
	case slice:
		if !v.IsNil() {
			loadSlice(b, v, m)
		}
	case mapping:
		// What a map holds already is kept by store.
		if !v.IsNil() {
			m.Set(reflect.MakeMap(m.Type()))
		}
	case iface:
		if !v.IsNil() {
			m.Set(reflect.ValueOf(preset(v)))
		}
	default:
		if v.Type().ConvertibleTo(m.Type()) {
			m.Set(v.Convert(m.Type()))
		}
	}
}

// loadSlice is load for a slice. A decoder uses its memory again, also behind its end.
func loadSlice(b *Type, v, m reflect.Value) {
	m.Set(reflect.MakeSlice(m.Type(), v.Cap(), v.Cap()))
	all := v.Slice(0, v.Cap())
	for i := range all.Len() {
		load(b.elem, all.Index(i), m.Index(i))
	}
	m.SetLen(v.Len())
}

// store copies what was decoded.
func store(t *Type, v, m reflect.Value) error {
	if t.hidden != nil && v.Kind() == reflect.Interface {
		return storeHidden(t, v, m)
	}
	if m.Type() == laterType {
		return storeLater(t, v, m.Interface().(later).text) //nolint:forcetypeassert // see the comparison
	}
	switch b := t.parts(); b.kind {
	case record:
		return storeRecord(t, v, m)
	case pointer:
		if m.IsNil() {
			v.SetZero()
			return nil
		}
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return pointed(t, v, store(b.elem, v.Elem(), m.Elem()), m.Type())
	case slice:
		return storeSlice(b, v, m)
	case mapping:
		return storeMap(b, v, m)
	case iface:
		storeInterface(v, m)
	default:
		if m.Type().ConvertibleTo(v.Type()) {
			v.Set(m.Convert(v.Type()))
		}
	}
	return nil
}

func storeRecord(t *Type, v, m reflect.Value) error {
	for i, f := range t.parts().fields {
		from := member(m, f)
		if !from.IsValid() {
			continue
		}
		to := reach(v.Field(i))
		if from.Kind() == reflect.Pointer && f.embedded && !f.exported && !from.IsNil() && to.IsNil() {
			return fmt.Errorf("json: cannot set embedded pointer to unexported struct: %s", f.typ.target())
		}
		if err := store(f.decoded(), to, from); err != nil {
			return located(t, f, err)
		}
	}
	return nil
}
