package box

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"unsafe"
)

// Format prints a value as package fmt prints values of its type.
func (v Value) Format(state fmt.State, verb rune) {
	p := printer{state, verb}
	p.print(v.T, reflect.ValueOf(v.V), 0, true)
}

// String returns what package context prints of a key or a value. Package fmt asks for Format.
func (v Value) String() string {
	if text, ok := v.method("String").(func() string); ok {
		return text()
	}
	return v.T.name
}

// printer prints a value by a verb.
type printer struct {
	fmt.State

	verb rune
}

func (p printer) text(s string) { _, _ = io.WriteString(p.State, s) }

func (p printer) sharp() bool { return p.verb == 'v' && p.Flag('#') }

// plain prints a value of a compiled type.
func (p printer) plain(v any) { _, _ = fmt.Fprintf(p.State, fmt.FormatString(p.State, p.verb), v) }

// print prints a value. t is nil for types of compiled code. visible reports whether methods may be called: package fmt does not
// call those of unexported fields.
func (p printer) print(t *Type, v reflect.Value, depth int, visible bool) {
	if !v.IsValid() {
		p.null(t)
		return
	}
	if v.Kind() == reflect.Interface {
		p.dynamic(t, v, depth, visible)
		return
	}
	if t != nil && visible && p.byMethod(t, v) {
		return
	}
	b := t.base()
	if b == nil || b.kind == native {
		if inside := within(v, visible); inside != nil {
			if b = inside; t == nil {
				t = inside
			}
		}
	}
	if b == nil || b.kind == native || b.kind == other {
		p.compiled(t, v, depth, visible)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		p.record(t, b, v, depth, visible)
	case reflect.Slice, reflect.Array:
		p.list(t, b, v, depth, visible)
	case reflect.Map:
		p.mapping(t, b, v, depth, visible)
	case reflect.Pointer:
		p.pointer(t, b, v, depth, visible)
	default:
		p.compiled(t, v, depth, visible)
	}
}

// within describes a list or map of compiled code that holds interfaces. Package fmt would print the boxes in them, not their contents.
func within(v reflect.Value, visible bool) *Type {
	switch v.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return holding(v.Type(), !visible)
	default:
		return nil
	}
}

func (p printer) null(t *Type) {
	name := ""
	if t != nil {
		name = t.name
		switch b := t.base(); {
		case b == nil:
		case b.kind == pointer && !p.sharp():
			p.address(t, reflect.ValueOf((*struct{})(nil)))
			return
		case b.kind == pointer:
			name = "(" + t.name + ")"
		case b.kind == mapping && !p.sharp():
			p.text("map[]")
			return
		case b.kind == slice && !p.sharp():
			p.text("[]")
			return
		}
	}
	if p.sharp() && t != nil {
		p.text(name + "(nil)")
		return
	}
	p.text("<nil>")
}

// dynamic prints the value in an interface.
func (p printer) dynamic(t *Type, v reflect.Value, depth int, visible bool) {
	inside := v.Elem()
	if !inside.IsValid() {
		if p.sharp() && t == nil {
			p.text(v.Type().String() + "(nil)")
			return
		}
		p.null(t)
		return
	}
	if b, ok := open(inside.Interface()).(boxed); ok {
		p.print(b.content().T, reflect.ValueOf(b.content().V), depth+1, visible)
		return
	}
	if t.base() != nil && t.base().kind == iface {
		t = nil
	}
	p.print(t, inside, depth+1, visible)
}

// byMethod prints a value by its methods, if it has any that print.
func (p printer) byMethod(t *Type, v reflect.Value) (done bool) {
	if len(t.methods) == 0 {
		return false
	}
	value := Value{t, v.Interface()}
	called := ""
	defer func() {
		if r := recover(); r != nil {
			p.panicked(called, v, t.space.Recovered(r))
			done = true
		}
	}()
	if format, ok := value.method("Format").(func(fmt.State, rune)); ok {
		called = "Format"
		format(p.State, p.verb)
		return true
	}
	if p.sharp() {
		if text, ok := value.method("GoString").(func() string); ok {
			called = "GoString"
			p.text(text())
			return true
		}
		return false
	}
	if !strings.ContainsRune("vsxXq", p.verb) {
		return false
	}
	for _, name := range []string{"Error", "String"} {
		if text, ok := value.method(name).(func() string); ok {
			called = name
			p.plain(text())
			return true
		}
	}
	return false
}

// compiled prints a value of a type of compiled code, or one that is printed like it.
func (p printer) compiled(t *Type, v reflect.Value, depth int, visible bool) {
	if v.Kind() == reflect.Pointer && depth > 0 && !v.IsNil() && (!visible || !prints(v)) {
		p.address(t, v)
		return
	}
	if t != nil && !p.sharp() && unprintable(p.verb, v.Kind()) {
		p.bad(t.name, t, v)
		return
	}
	if t != nil && t.kind == defined && p.sharp() {
		switch v.Kind() {
		case reflect.Chan, reflect.Func:
			p.address(t, v)
			return
		case reflect.Struct, reflect.Slice, reflect.Array, reflect.Map:
			text := fmt.Sprintf("%#v", v.Interface())
			text = strings.TrimPrefix(strings.TrimPrefix(text, v.Type().String()), "[]byte")
			p.text(t.name + text)
			return
		default:
		}
	}
	if p.sharp() && depth > 0 && v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[byte]() {
		// Package fmt names the type []byte by another name inside of a value.
		p.text("[]uint8" + strings.TrimPrefix(fmt.Sprintf("%#v", v.Bytes()), "[]byte"))
		return
	}
	if visible {
		p.plain(v.Interface())
		return
	}
	p.hidden(v)
}

// prints reports whether package fmt prints a value by its methods.
func prints(v reflect.Value) bool {
	switch v.Interface().(type) {
	case fmt.Formatter, fmt.Stringer, error:
		return true
	}
	return false
}

// hidden prints a value without its methods, as package fmt does within unexported fields.
func (p printer) hidden(v reflect.Value) {
	s := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "x", PkgPath: "x", Type: v.Type()}})).Elem()
	reflect.NewAt(v.Type(), unsafe.Pointer(s.Field(0).UnsafeAddr())).Elem().Set(v)
	text := fmt.Sprintf(fmt.FormatString(p.State, p.verb), s.Interface())
	if p.sharp() {
		_, text, _ = strings.Cut(text, "}{x:")
	} else {
		text = strings.TrimPrefix(strings.TrimPrefix(text, "{"), "x:")
	}
	p.text(strings.TrimSuffix(text, "}"))
}

func (p printer) record(t, b *Type, v reflect.Value, depth int, visible bool) {
	if p.sharp() {
		p.text(t.name)
	}
	p.text("{")
	for i, f := range b.fields {
		if i > 0 {
			p.text(map[bool]string{true: ", ", false: " "}[p.sharp()])
		}
		if p.sharp() || p.verb == 'v' && p.Flag('+') {
			p.text(f.name + ":")
		}
		x := reach(v.Field(i))
		if visible && f.embedded && !f.exported && f.typ.base().kind == record && x.Kind() == reflect.Struct {
			// Package fmt calls the methods of its exported fields, not its own.
			p.record(f.typ, f.typ.base(), x, depth+1, true)
			continue
		}
		p.print(f.typ, x, depth+1, visible && f.exported)
	}
	p.text("}")
}

// reach returns a value that may be read, whatever field it comes from.
func reach(v reflect.Value) reflect.Value {
	if v.CanInterface() {
		return v
	}
	if !v.CanAddr() {
		c := reflect.New(v.Type()).Elem()
		reflect.NewAt(v.Type(), unsafe.Pointer(c.UnsafeAddr())).Elem().Set(v)
		return c
	}
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

func (p printer) list(t, b *Type, v reflect.Value, depth int, visible bool) {
	if p.sharp() {
		p.text(t.name)
		if v.Kind() == reflect.Slice && v.IsNil() {
			p.text("(nil)")
			return
		}
	}
	if v.Type().Elem().Kind() == reflect.Uint8 && strings.ContainsRune("sqxX", p.verb) && b.elem.base().name == "uint8" {
		p.plain(v.Interface())
		return
	}
	begin, between, end := "[", " ", "]"
	if p.sharp() {
		begin, between, end = "{", ", ", "}"
	}
	p.text(begin)
	for i := range v.Len() {
		if i > 0 {
			p.text(between)
		}
		p.print(b.elem, v.Index(i), depth+1, visible)
	}
	p.text(end)
}

func (p printer) mapping(t, b *Type, v reflect.Value, depth int, visible bool) {
	begin, between, end := "map[", " ", "]"
	if p.sharp() {
		p.text(t.name)
		if v.IsNil() {
			p.text("(nil)")
			return
		}
		begin, between, end = "{", ", ", "}"
	}
	p.text(begin)
	for i, k := range sortedKeys(v) {
		if i > 0 {
			p.text(between)
		}
		p.print(b.key, k, depth+1, visible)
		p.text(":")
		p.print(b.elem, v.MapIndex(k), depth+1, visible)
	}
	p.text(end)
}

func (p printer) pointer(t, b *Type, v reflect.Value, depth int, visible bool) {
	if depth == 0 && !v.IsNil() {
		switch v.Elem().Kind() {
		case reflect.Struct, reflect.Slice, reflect.Array, reflect.Map:
			p.text("&")
			p.print(b.elem, v.Elem(), depth+1, visible)
			return
		default:
		}
	}
	p.address(t, v)
}
