package box

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// maxDepth limits how deep values are followed when they are encoded.
const maxDepth = 1000

// MarshalJSON encodes a value that is inside one of compiled code.
func (v Value) MarshalJSON() ([]byte, error) {
	m, err := mirror(v.T, reflect.ValueOf(v.V), 0)
	if err != nil {
		return nil, err
	}
	// The encoder around it escapes the text, if it is to be escaped.
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err = e.Encode(m)
	return out.Bytes(), unwrapped(err)
}

// Marshal calls a function that encodes a mirror, and names the types of the source in its error.
func (s *Space) Marshal(encode func() ([]byte, error)) ([]byte, error) {
	text, err := encode()
	return text, unwrapped(err)
}

// Encode is Marshal for a function that writes what it encodes.
func (s *Space) Encode(encode func() error) error { return unwrapped(encode()) }

// Mirror returns a value that package json encodes as it would encode v if v were compiled.
func (s *Space) Mirror(v any) any {
	out, err := mirrorAny(v, 0)
	if err != nil {
		return failing{err}
	}
	return out
}

// failing fails when it is encoded.
type failing struct{ err error }

func (f failing) MarshalJSON() ([]byte, error) { return nil, f.err }

func mirrorAny(v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("json: unsupported value: encountered a cycle via %s", nameOf(v))
	}
	v = open(v)
	switch v := v.(type) {
	case boxed:
		return mirror(v.content().T, reflect.ValueOf(v.content().V), depth+1)
	case []any:
		if v == nil {
			return v, nil
		}
		out := make([]any, len(v))
		for i, x := range v {
			m, err := mirrorAny(x, depth+1)
			if err != nil {
				return nil, err
			}
			out[i] = m
		}
		return out, nil
	case map[string]any:
		if v == nil {
			return v, nil
		}
		out := make(map[string]any, len(v))
		for k, x := range v {
			m, err := mirrorAny(x, depth+1)
			if err != nil {
				return nil, err
			}
			out[k] = m
		}
		return out, nil
	}
	return v, nil
}

// raw is a value that encodes itself, and text one that does so as a string.
type (
	raw  struct{ marshaler }
	text struct{ marshaler }
	// marshaler holds the method of a value of type t.
	marshaler struct {
		t       reflect.Type
		marshal func() ([]byte, error)
	}
)

func (r raw) MarshalJSON() ([]byte, error) { return r.call() }

func (t text) MarshalText() ([]byte, error) { return t.call() }

func (m marshaler) call() ([]byte, error) {
	out, err := m.marshal()
	if err != nil {
		err = &methodError{m.t, err}
	}
	return out, err
}

// byMethod returns the value for one that encodes itself, or nil.
func byMethod(t *Type, v reflect.Value) any {
	for _, c := range []struct {
		t *Type
		v func() reflect.Value
	}{{t, func() reflect.Value { return v }}, {t.pointer, v.Addr}} {
		if c.t == nil || len(c.t.methods) == 0 || c.t != t && !v.CanAddr() {
			continue
		}
		if _, ok := c.t.methods["MarshalJSON"]; ok {
			if m, ok := (Value{c.t, c.v().Interface()}).method("MarshalJSON").(func() ([]byte, error)); ok {
				return raw{marshaler{t.shown(v.Type()), m}}
			}
		}
		if _, ok := c.t.methods["MarshalText"]; ok {
			if m, ok := (Value{c.t, c.v().Interface()}).method("MarshalText").(func() ([]byte, error)); ok {
				return text{marshaler{t.shown(v.Type()), m}}
			}
		}
	}
	return nil
}

// mirror returns what package json encodes like v.
func mirror(t *Type, v reflect.Value, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("json: unsupported value: encountered a cycle via %s", t)
	}
	if !v.IsValid() {
		return nil, nil
	}
	if v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil, nil
		}
		return mirrorAny(v.Elem().Interface(), depth+1)
	}
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, nil
	}
	if t == nil {
		return v.Interface(), nil
	}
	if m := byMethod(t, v); m != nil {
		return m, nil
	}
	b := t.base()
	switch b.kind {
	case pointer:
		return mirror(b.elem, v.Elem(), depth+1)
	case record:
		return mirrorRecord(b, v, depth)
	case slice, array:
		if b.kind == slice && (v.IsNil() || v.Type().Elem().Kind() == reflect.Uint8 && !encodes(b.elem)) {
			return v.Interface(), nil
		}
		out := make([]any, v.Len())
		for i := range out {
			m, err := mirror(b.elem, v.Index(i), depth+1)
			if err != nil {
				return nil, err
			}
			out[i] = m
		}
		return out, nil
	case mapping:
		return mirrorMap(t, v, depth)
	case other:
		if v.Kind() != reflect.Func && v.Kind() != reflect.Chan {
			return v.Interface(), nil
		}
		return nil, &json.UnsupportedTypeError{Type: t.shown(v.Type())}
	}
	return v.Interface(), nil
}

func mirrorMap(t *Type, v reflect.Value, depth int) (any, error) {
	b := t.base()
	if v.IsNil() {
		return map[string]any(nil), nil
	}
	out := make(map[string]any, v.Len())
	for each := v.MapRange(); each.Next(); {
		m, err := mirror(b.elem, each.Value(), depth+1)
		if err != nil {
			return nil, err
		}
		key, ok, err := keyText(b.key, each.Key())
		if !ok {
			return nil, &json.UnsupportedTypeError{Type: t.shown(v.Type())}
		}
		if err != nil {
			return nil, fmt.Errorf("json: encoding error for type %q: %q", t, err.Error())
		}
		out[key] = m
	}
	return out, nil
}

// keyText returns the key of a map as package json writes it. It returns false for keys that it does not write.
func keyText(t *Type, k reflect.Value) (key string, ok bool, err error) {
	if k.Kind() == reflect.String {
		return k.String(), true, nil
	}
	m, ok := byMethod(t, k).(encoding.TextMarshaler)
	if !ok {
		m, ok = reflect.TypeAssert[encoding.TextMarshaler](k)
	}
	if ok {
		b, err := m.MarshalText()
		return string(b), true, err
	}
	switch k.Kind() {
	case reflect.Struct, reflect.Interface, reflect.Pointer, reflect.Array, reflect.Float32, reflect.Float64, reflect.Bool:
		return "", false, nil
	default:
	}
	return fmt.Sprint(k.Interface()), true, nil
}

var anyType = reflect.TypeFor[any]()

// mirrorRecord returns a struct with the exported fields.
func mirrorRecord(b *Type, v reflect.Value, depth int) (any, error) {
	var fields []reflect.StructField
	var values []reflect.Value
	for i, f := range b.fields {
		field, value, ok, err := mirrorField(f, reach(v.Field(i)), depth)
		if err != nil {
			return nil, err
		}
		if ok {
			field.Name = f.member()
			fields, values = append(fields, field), append(values, value)
		}
	}
	out := reflect.New(reflect.StructOf(fields)).Elem()
	for i, x := range values {
		out.Field(i).Set(x)
	}
	return out.Interface(), nil
}

// mirrorField returns a field of a mirror and its value. It returns false for a field that package json omits.
func mirrorField(f field, x reflect.Value, depth int) (out reflect.StructField, value reflect.Value, ok bool, err error) {
	name, options, _ := strings.Cut(f.tag.Get("json"), ",")
	if f.tag.Get("json") == "-" {
		return out, value, false, nil
	}
	if f.embedded && name == "" {
		in, isStruct, null := embedded(f, x)
		if isStruct {
			m, err := mirrorRecord(in.typ.base(), in.value, depth+1)
			return reflect.StructField{Type: reflect.TypeOf(m), Anonymous: true}, reflect.ValueOf(m), err == nil, err
		}
		if null {
			p := reflect.PointerTo(outline(f.inside().target(), []*Type{f.inside().target()}))
			return reflect.StructField{Type: p, Anonymous: true}, reflect.Zero(p), true, nil
		}
	}
	if !f.encoded() {
		return out, value, false, nil
	}
	if omitted(f, x, ","+options+",") {
		// It still hides the fields with its name in embedded structs.
		return reflect.StructField{Type: anyType, Tag: f.tag}, reflect.Zero(anyType), true, nil
	}
	value, err = mirrorValue(f.typ, x, depth)
	if err != nil {
		return out, value, false, err
	}
	return reflect.StructField{Type: value.Type(), Tag: f.tag}, value, true, nil
}

// outline returns a struct with the names of the fields that package json finds in a struct. They may hide others even if a pointer to
// the struct is nil. around holds the types that contain it.
func outline(t *Type, around []*Type) reflect.Type {
	var fields []reflect.StructField
	for _, f := range t.base().fields {
		name, _, _ := strings.Cut(f.tag.Get("json"), ",")
		switch in := f.inside().target(); {
		case f.tag.Get("json") == "-" || !f.encoded():
		case !f.embedded || name != "" || !f.structural():
			fields = append(fields, reflect.StructField{Name: f.member(), Type: anyType, Tag: f.tag})
		case !slices.Contains(around, in):
			fields = append(fields, reflect.StructField{Name: f.member(), Type: outline(in, append(slices.Clip(around), in)), Anonymous: true})
		}
	}
	return reflect.StructOf(fields)
}

// omitted reports whether an option of a tag omits a field whose type the mirror changes.
func omitted(f field, x reflect.Value, options string) bool {
	if !own(f.typ) && x.Kind() != reflect.Interface {
		return false
	}
	empty := x.IsZero()
	switch x.Kind() {
	case reflect.Slice, reflect.Map, reflect.Array:
		empty = x.Len() == 0
	case reflect.Struct:
		empty = false
	default:
	}
	return strings.Contains(options, ",omitempty,") && empty || strings.Contains(options, ",omitzero,") && x.IsZero()
}

// mirrorValue returns the value of a field. A field that holds none of the plugin's own types keeps its type, because the options
// of its tag depend on it.
func mirrorValue(t *Type, x reflect.Value, depth int) (reflect.Value, error) {
	if !own(t) && x.Kind() != reflect.Interface {
		return x, nil
	}
	if plainBasic(t) {
		return x.Convert(basic(x.Kind())), nil
	}
	out := reflect.New(anyType).Elem()
	m, err := mirror(t, x, depth+1)
	if err == nil && m != nil {
		out.Set(reflect.ValueOf(m))
	}
	return out, err
}

// inner is an embedded struct.
type inner struct {
	typ   *Type
	value reflect.Value
}

// embedded returns the struct whose fields package json takes for those of the struct around it. null is set for a nil pointer.
func embedded(f field, x reflect.Value) (in inner, ok, null bool) {
	t := f.inside()
	if t.base().kind == pointer {
		t = t.base().elem
		if x.IsNil() {
			return in, false, t.base().kind == record
		}
		x = x.Elem()
	}
	if t.base().kind != record || byMethod(t, x) != nil && f.exported {
		return in, false, false
	}
	return inner{t, x}, true, false
}
