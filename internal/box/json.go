package box

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
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
	return json.Marshal(m)
}

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

// raw is an encoded value.
type raw struct{ marshal func() ([]byte, error) }

func (r raw) MarshalJSON() ([]byte, error) { return r.marshal() }

// text is a value that is encoded as a string.
type text struct{ marshal func() ([]byte, error) }

func (t text) MarshalText() ([]byte, error) { return t.marshal() }

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
				return raw{m}
			}
		}
		if _, ok := c.t.methods["MarshalText"]; ok {
			if m, ok := (Value{c.t, c.v().Interface()}).method("MarshalText").(func() ([]byte, error)); ok {
				return text{m}
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
		return mirrorMap(b, v, depth)
	case other:
		if v.Kind() != reflect.Func && v.Kind() != reflect.Chan {
			return v.Interface(), nil
		}
		return nil, fmt.Errorf("json: unsupported type: %s", t)
	}
	return v.Interface(), nil
}

func mirrorMap(b *Type, v reflect.Value, depth int) (any, error) {
	if v.IsNil() {
		return map[string]any(nil), nil
	}
	out := make(map[string]any, v.Len())
	for each := v.MapRange(); each.Next(); {
		m, err := mirror(b.elem, each.Value(), depth+1)
		if err != nil {
			return nil, err
		}
		key, err := keyText(b.key, each.Key())
		if err != nil {
			return nil, err
		}
		out[key] = m
	}
	return out, nil
}

// keyText returns the key of a map as package json writes it.
func keyText(t *Type, k reflect.Value) (string, error) {
	if k.Kind() == reflect.String {
		return k.String(), nil
	}
	if m := byMethod(t, k); m != nil {
		if m, ok := m.(text); ok {
			b, err := m.MarshalText()
			return string(b), err
		}
	}
	if m, ok := reflect.TypeAssert[encoding.TextMarshaler](k); ok {
		b, err := m.MarshalText()
		return string(b), err
	}
	switch k.Kind() {
	case reflect.Struct, reflect.Interface, reflect.Pointer, reflect.Array, reflect.Float32, reflect.Float64, reflect.Bool:
		return "", fmt.Errorf("json: unsupported type: map with keys of type %s", t)
	default:
	}
	return fmt.Sprint(k.Interface()), nil
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
			field.Name = string(field.Name[0]) + strconv.Itoa(len(fields))
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
		in, isStruct, skip := embedded(f, x)
		if isStruct {
			m, err := mirror(in.typ, in.value, depth+1)
			return reflect.StructField{Name: "E", Type: reflect.TypeOf(m), Anonymous: true}, reflect.ValueOf(m), err == nil, err
		}
		if skip {
			return out, value, false, nil
		}
	}
	if !f.encoded() || omitted(f, x, ","+options+",") {
		return out, value, false, nil
	}
	value, err = mirrorValue(f.typ, x, depth)
	if err != nil {
		return out, value, false, err
	}
	tag := f.tag
	if name == "" {
		tag = reflect.StructTag(fmt.Sprintf("json:%q", f.name+","+options))
	}
	return reflect.StructField{Name: "F", Type: value.Type(), Tag: tag}, value, true, nil
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

// embedded returns the struct whose fields package json takes for those of the struct around it. skip is set for a nil pointer.
func embedded(f field, x reflect.Value) (in inner, ok, skip bool) {
	t := f.typ
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

// own reports whether a type is, or contains, a type of the plugin.
func own(t *Type) bool { return t != nil && t.kind != native }

// plainBasic reports whether a type is a number, string or bool without methods that encode.
func plainBasic(t *Type) bool {
	b := t.base()
	if b.kind != native || b.exact == nil {
		return false
	}
	return !encodes(t) && basic(b.exact.Kind()) != nil
}

// encodes reports whether values of a type, or pointers to them, encode themselves.
func encodes(t *Type) bool {
	for u := t; u != nil; u = u.pointer {
		for _, name := range []string{"MarshalJSON", "MarshalText"} {
			if _, ok := u.methods[name]; ok {
				return true
			}
		}
	}
	return false
}

// basic returns the type without a name of a basic kind.
func basic(k reflect.Kind) reflect.Type {
	switch k {
	case reflect.Bool:
		return reflect.TypeFor[bool]()
	case reflect.Int:
		return reflect.TypeFor[int]()
	case reflect.Int8:
		return reflect.TypeFor[int8]()
	case reflect.Int16:
		return reflect.TypeFor[int16]()
	case reflect.Int32:
		return reflect.TypeFor[int32]()
	case reflect.Int64:
		return reflect.TypeFor[int64]()
	case reflect.Uint:
		return reflect.TypeFor[uint]()
	case reflect.Uint8:
		return reflect.TypeFor[uint8]()
	case reflect.Uint16:
		return reflect.TypeFor[uint16]()
	case reflect.Uint32:
		return reflect.TypeFor[uint32]()
	case reflect.Uint64:
		return reflect.TypeFor[uint64]()
	case reflect.Float32:
		return reflect.TypeFor[float32]()
	case reflect.Float64:
		return reflect.TypeFor[float64]()
	case reflect.String:
		return reflect.TypeFor[string]()
	default:
		return nil
	}
}
