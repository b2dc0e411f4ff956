package box

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// TypeOf is reflect.TypeOf, which shows the types of the source by their own names.
func (s *Space) TypeOf(v any) reflect.Type {
	b, ok := open(v).(boxed)
	if !ok {
		return reflect.TypeOf(v)
	}
	return b.content().T.shown(reflect.TypeOf(b.content().V))
}

// ValueOf is reflect.ValueOf for an interface value. Package reflect would show the interpreter's type of a box.
func (s *Space) ValueOf(v any) reflect.Value {
	if b, ok := open(v).(boxed); ok {
		panic(fmt.Sprintf("reflect.ValueOf does not see the type %s, which is interpreted; use a type switch", b.content().T))
	}
	return reflect.ValueOf(v)
}

// Real returns a type for a function of package reflect, which makes values only of types of compiled code.
func (s *Space) Real(t reflect.Type) reflect.Type {
	if own, ok := t.(*shown); ok {
		panic(fmt.Sprintf("package reflect cannot make values of the type %s, which is interpreted; write them in Go", own.t))
	}
	return t
}

// shown is a type of the source for package reflect, on top of what the interpreter has for it.
type shown struct {
	reflect.Type

	t *Type
}

// shown returns the only value for a type, so that types can be compared.
func (t *Type) shown(raw reflect.Type) reflect.Type {
	switch {
	case t.exact != nil:
		return t.exact
	case t.hidden != nil:
		raw = t.hidden
	}
	t.space.mu.Lock()
	defer t.space.mu.Unlock()
	if t.reflected == nil {
		t.reflected = &shown{raw, t}
	}
	return t.reflected
}

func (s *shown) String() string { return s.t.name }

func (s *shown) Name() string { return strings.TrimPrefix(s.short(), ".") }

// short returns the name of a defined type with its type arguments.
func (s *shown) short() string {
	if s.t.kind != defined && s.t.kind != iface {
		return ""
	}
	name, arguments, found := strings.Cut(s.t.name, "[")
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[i:]
	} else if s.t.kind == iface {
		return ""
	}
	if found {
		name += "[" + arguments
	}
	return name
}

func (s *shown) PkgPath() string { return s.t.path }

func (s *shown) Elem() reflect.Type {
	raw := s.Type.Elem()
	if b := s.t.base(); b.elem != nil {
		return b.elem.shown(raw)
	}
	return raw
}

func (s *shown) Key() reflect.Type {
	raw := s.Type.Key()
	if b := s.t.base(); b.key != nil {
		return b.key.shown(raw)
	}
	return raw
}

func (s *shown) Field(i int) reflect.StructField {
	f := s.Type.Field(i)
	b := s.t.base()
	if b.kind != record {
		return f
	}
	own := b.fields[i]
	f.Name, f.Tag, f.Anonymous, f.Type = own.name, own.tag, own.embedded, own.typ.shown(f.Type)
	f.PkgPath = ""
	if !own.exported {
		f.PkgPath = s.t.path
	}
	return f
}

func (s *shown) FieldByName(name string) (reflect.StructField, bool) {
	for i := range s.NumField() {
		if f := s.Field(i); f.Name == name {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

// Implements reports whether a type implements an interface. Both may be types of the source.
func (s *Space) Implements(t, u reflect.Type) bool {
	own, ok := u.(*shown)
	if _, both := t.(*shown); both || !ok || own.t.kind != iface {
		return t.Implements(u)
	}
	for name, signature := range own.t.wanted {
		m, ok := t.MethodByName(name)
		if !ok || withoutReceiver(t, m).String() != signature {
			return false
		}
	}
	return true
}

// withoutReceiver returns the type of a method as an interface has it.
func withoutReceiver(t reflect.Type, m reflect.Method) reflect.Type {
	if t.Kind() == reflect.Interface {
		return m.Type
	}
	var in, out []reflect.Type
	for p := range m.Type.Ins() {
		in = append(in, p)
	}
	for r := range m.Type.Outs() {
		out = append(out, r)
	}
	return reflect.FuncOf(in[1:], out, m.Type.IsVariadic())
}

// exported returns the names of the methods that package reflect shows.
func (s *shown) exported() []string {
	var names []string
	for name := range s.t.methods {
		if name[0] >= 'A' && name[0] <= 'Z' && !strings.Contains(name, " ") {
			names = append(names, name)
		}
	}
	for name := range s.t.wanted {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (s *shown) NumMethod() int { return len(s.exported()) }

func (s *shown) Implements(u reflect.Type) bool {
	if other, ok := u.(*shown); ok {
		for name, signature := range other.t.wanted {
			if s.signature(name) != signature {
				return false
			}
		}
		return other.t.kind == iface
	}
	for m := range u.Methods() {
		if s.signature(m.Name) != m.Type.String() {
			return false
		}
	}
	return true
}

// signature returns the type of a method; empty if there is none.
func (s *shown) signature(name string) string {
	if s.t.kind == iface {
		return s.t.wanted[name]
	}
	return s.t.methods[name].signature
}
