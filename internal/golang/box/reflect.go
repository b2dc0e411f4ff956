package box

import (
	"iter"
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
	case t.isAny():
		return anyType
	case t.raw != nil:
		raw = t.raw
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

// asReflect returns the type for package reflect.
func (t *Type) asReflect() reflect.Type {
	if t.exact != nil {
		return t.exact
	}
	return t.shown(t.rawType())
}

// isAny reports whether a type is the interface without methods that has no name.
func (t *Type) isAny() bool {
	return t.kind == iface && len(t.wanted) == 0 && (t.name == "interface {}" || t.name == "any")
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

func (s *shown) Kind() reflect.Kind { return s.t.reflectKind() }

func (s *shown) Elem() reflect.Type {
	b := s.t.base()
	switch {
	case b.kind == native:
		return b.exact.Elem()
	case b.elem == nil:
		return s.Type.Elem()
	}
	return b.elem.part(s.Type, func(raw reflect.Type) reflect.Type { return raw.Elem() })
}

func (s *shown) Key() reflect.Type {
	b := s.t.base()
	switch {
	case b.kind == native:
		return b.exact.Key()
	case b.key == nil:
		return s.Type.Key()
	}
	return b.key.part(s.Type, func(raw reflect.Type) reflect.Type { return raw.Key() })
}

// part returns a type that another consists of. Only a program that uses package reflect registers what the interpreter has for all types.
func (t *Type) part(whole reflect.Type, part func(reflect.Type) reflect.Type) reflect.Type {
	if t.exact != nil || t.raw != nil || whole == nil || whole.Kind() == reflect.Interface {
		return t.asReflect()
	}
	return t.shown(part(whole))
}

func (s *shown) NumField() int {
	if b := s.t.base(); b.kind == record {
		return len(b.fields)
	}
	return s.Type.NumField()
}

func (s *shown) Field(i int) reflect.StructField {
	b := s.t.base()
	if b.kind != record {
		return s.Type.Field(i)
	}
	f := reflect.StructField{Index: []int{i}}
	own := b.fields[i]
	f.Name, f.PkgPath, f.Tag, f.Anonymous = own.name, own.path, own.tag, own.embedded
	f.Type = own.typ.part(s.Type, func(raw reflect.Type) reflect.Type { return raw.Field(i).Type })
	if s.Type != nil && s.Type.Kind() == reflect.Struct {
		f.Offset = s.Type.Field(i).Offset
	}
	return f
}

func (s *shown) Fields() iter.Seq[reflect.StructField] {
	return func(yield func(reflect.StructField) bool) {
		for i := range s.NumField() {
			if !yield(s.Field(i)) {
				return
			}
		}
	}
}

func (s *shown) FieldByIndex(index []int) reflect.StructField {
	var f reflect.StructField
	var t reflect.Type = s
	for n, i := range index {
		if n > 0 && t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		f = t.Field(i)
		t = f.Type
	}
	f.Index = index
	return f
}

func (s *shown) FieldByName(name string) (reflect.StructField, bool) {
	return s.FieldByNameFunc(func(s string) bool { return s == name })
}

// FieldByNameFunc looks for a field, also in embedded structs. The one that is nested least is found, unless there are several.
func (s *shown) FieldByNameFunc(match func(string) bool) (reflect.StructField, bool) {
	type level struct {
		t     reflect.Type
		index []int
	}
	visited := map[reflect.Type]bool{}
	for current := []level{{s, nil}}; len(current) > 0; {
		var next []level
		var found []reflect.StructField
		for _, l := range current {
			if visited[l.t] {
				continue
			}
			visited[l.t] = true
			for i := range l.t.NumField() {
				f := l.t.Field(i)
				f.Index = append(slices.Clone(l.index), i)
				if match(f.Name) {
					found = append(found, f)
				}
				t := f.Type
				if t.Kind() == reflect.Pointer {
					t = t.Elem()
				}
				if f.Anonymous && t.Kind() == reflect.Struct {
					next = append(next, level{t, f.Index})
				}
			}
		}
		if len(found) > 0 {
			return found[0], len(found) == 1
		}
		current = next
	}
	return reflect.StructField{}, false
}

func (s *shown) NumIn() int  { return len(s.ins()) }
func (s *shown) NumOut() int { return len(s.outs()) }

func (s *shown) In(i int) reflect.Type  { return s.ins()[i] }
func (s *shown) Out(i int) reflect.Type { return s.outs()[i] }

func (s *shown) Ins() iter.Seq[reflect.Type]  { return slices.Values(s.ins()) }
func (s *shown) Outs() iter.Seq[reflect.Type] { return slices.Values(s.outs()) }

func (s *shown) ins() []reflect.Type {
	return s.t.base().tuple(s.t.base().in, s.Type, reflect.Type.Ins)
}

func (s *shown) outs() []reflect.Type {
	return s.t.base().tuple(s.t.base().out, s.Type, reflect.Type.Outs)
}

// tuple returns the types of parameters or results.
func (t *Type) tuple(own []*Type, raw reflect.Type, list func(reflect.Type) iter.Seq[reflect.Type]) []reflect.Type {
	if t.kind == native {
		return slices.Collect(list(t.exact))
	}
	if own == nil {
		return slices.Collect(list(raw))
	}
	var out []reflect.Type
	for _, t := range own {
		out = append(out, t.asReflect())
	}
	return out
}

func (s *shown) IsVariadic() bool {
	if b := s.t.base(); b.kind != native {
		return b.variadic
	}
	return s.Type.IsVariadic()
}

func (s *shown) AssignableTo(u reflect.Type) bool  { return assignable(s, u) }
func (s *shown) ConvertibleTo(u reflect.Type) bool { return convertible(s, u) }

func (s *shown) Comparable() bool {
	switch b := s.t.base(); b.kind {
	case iface:
		return true
	case slice, mapping:
		return false
	case array:
		return b.elem.asReflect().Comparable()
	case record:
		for _, f := range b.fields {
			if !f.typ.asReflect().Comparable() {
				return false
			}
		}
		return true
	}
	return s.Type.Comparable()
}

// implements reports whether a type implements an interface. Both may be types of the source.
func implements(t, u reflect.Type) bool {
	own, ok := u.(*shown)
	if _, both := t.(*shown); both || !ok || own.t.base().kind != iface {
		return t.Implements(u)
	}
	for name, signature := range own.t.base().wanted {
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

// visible reports whether package reflect shows a method.
func visible(name string) bool {
	return name[0] >= 'A' && name[0] <= 'Z' && !strings.Contains(name, " ")
}

// exported returns the names of the methods that package reflect shows.
func (t *Type) exported() []string {
	var names []string
	for name := range t.allMethods() {
		if visible(name) {
			names = append(names, name)
		}
	}
	for name := range t.base().wanted {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (s *shown) NumMethod() int { return len(s.t.exported()) }

// Method returns what compiled code can see of a method.
func (s *shown) Method(i int) reflect.Method {
	name := s.t.exported()[i]
	return reflect.Method{Name: name, Index: i, Type: s.t.methodType(name)}
}

func (s *shown) MethodByName(name string) (reflect.Method, bool) {
	i := slices.Index(s.t.exported(), name)
	if i < 0 {
		return reflect.Method{}, false
	}
	return s.Method(i), true
}

func (s *shown) Methods() iter.Seq[reflect.Method] {
	return func(yield func(reflect.Method) bool) {
		for i := range s.NumMethod() {
			if !yield(s.Method(i)) {
				return
			}
		}
	}
}

func (s *shown) Implements(u reflect.Type) bool {
	if other, ok := u.(*shown); ok {
		for name, signature := range other.t.base().wanted {
			if s.signature(name) != signature {
				return false
			}
		}
		return other.t.base().kind == iface
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
	if b := s.t.base(); b.kind == iface {
		return b.wanted[name]
	}
	return s.t.allMethods()[name].signature
}
