package box

import (
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// Space holds the types of one plugin.
type Space struct {
	mu    sync.RWMutex
	types map[int]*Type
	// derivations holds the types that are made of others, and exacts those of compiled code that package reflect asked for.
	derivations map[derivation]*Type
	exacts      map[reflect.Type]*Type
	// registered holds the types that the plugin registered with package gob, by what package gob sees for them.
	registered map[reflect.Type]gobRegistered
	// wrapper returns a struct type with the methods of a compiled interface, or nil. Its first field holds any value and the
	// others the methods, in functions.
	wrapper func(reflect.Type) reflect.Type
	// stderr is where print and println write to.
	stderr io.Writer
}

// New returns a space without types.
func New(wrapper func(reflect.Type) reflect.Type, stderr io.Writer) *Space {
	return &Space{types: map[int]*Type{}, derivations: map[derivation]*Type{}, exacts: map[reflect.Type]*Type{}, wrapper: wrapper, stderr: stderr}
}

// The kinds of types.
const (
	native  = 'n' // a type of compiled code
	defined = 'd' // a type with a name, made of elem
	pointer = 'p'
	slice   = 's'
	array   = 'a'
	mapping = 'm'
	record  = 't'
	iface   = 'i'
	other   = 'f'
	// channel describes a type of the kind other whose elements are known.
	channel = 'c'
)

// Type describes a type.
type Type struct {
	id   int
	kind byte
	name string
	elem *Type
	key  *Type
	// size is the length of an array.
	size int
	// result is the type of a function's first result, if that is known, and variadic reports whether its last parameter takes several
	// arguments.
	result   *Type
	variadic bool
	fields   []field
	// short and path are the name and the package of a defined type.
	short, path string
	// methods holds the methods of a concrete type. pointer is the type of pointers, if it has more methods.
	methods map[string]method
	pointer *Type
	// wanted holds the signatures of the methods of an interface. exact is a type of compiled code, and wrapper the type that
	// gives values the methods of an interface.
	wanted  map[string]string
	exact   reflect.Type
	wrapper reflect.Type
	// hidden is the interpreter's type of a field that it has as any.
	hidden reflect.Type
	// raw is what the interpreter has for the type, in a program that uses package reflect. in and out are the types of parameters and results.
	raw     reflect.Type
	in, out []*Type
	// reflected is the type for package reflect.
	reflected *shown
	space     *Space
}

type field struct {
	name               string
	exported, embedded bool
	// path is the package of a field that is not exported, if the source uses package reflect.
	path string
	tag  reflect.StructTag
	typ  *Type
}

// method is a method: its signature, and a function that binds it to a receiver. result is the type of its first result, if that is
// one of the source and templates may need it, and variadic reports whether its last parameter takes several arguments.
type method struct {
	signature string
	bind      func(any) any
	// typ is its type, in a program that uses package reflect.
	typ      *Type
	result   *Type
	variadic bool
}

func (t *Type) String() string { return t.name }

// base returns the type that a defined type is made of.
func (t *Type) base() *Type {
	for t != nil && t.kind == defined {
		t = t.elem
	}
	return t
}

func (s *Space) typ(id int) *Type {
	s.mu.RLock()
	t := s.types[id]
	s.mu.RUnlock()
	if t != nil {
		return t
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t = s.types[id]; t == nil {
		t = &Type{id: id, space: s, methods: map[string]method{}}
		s.types[id] = t
	}
	return t
}

// Types reads descriptions, one per line.
func (s *Space) Types(text string) {
	for line := range strings.Lines(text) {
		if err := s.describe(words(line)); err != nil {
			panic(fmt.Sprintf("reading the description of a type: %v: %s", err, line))
		}
	}
}

// words splits a line into its words, which may be quoted.
func words(line string) []string {
	var out []string
	for {
		line = strings.TrimLeft(line, " \n")
		if line == "" {
			return out
		}
		if quoted, err := strconv.QuotedPrefix(line); err == nil {
			text, _ := strconv.Unquote(quoted)
			out, line = append(out, text), line[len(quoted):]
			continue
		}
		word, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		out, line = append(out, word), rest
	}
}

func (s *Space) describe(w []string) error {
	if len(w) < 3 {
		return fmt.Errorf("too short")
	}
	numbers := func(i int) *Type {
		id, err := strconv.Atoi(w[i])
		if err != nil {
			panic(err.Error())
		}
		return s.typ(id)
	}
	t := numbers(0)
	if w[1] == "x" {
		t.pointer = numbers(3)
		return nil
	}
	t.kind, t.name = w[1][0], w[2]
	switch t.kind {
	case defined:
		t.elem, t.short, t.path = numbers(3), w[4], w[5]
	case pointer, slice, array:
		t.elem = numbers(3)
		if err := t.measure(); err != nil {
			return err
		}
		s.know(derivation{kind: t.kind, elem: t.elem, size: t.size}, t)
	case mapping:
		t.key, t.elem = numbers(3), numbers(4)
		s.know(derivation{kind: mapping, elem: t.elem, key: t.key}, t)
	case record:
		t.fields = nil
		for i := 3; i+3 < len(w); i += 4 {
			flags, path, _ := strings.Cut(w[i+1], " ")
			t.fields = append(t.fields, field{
				name: w[i], exported: strings.Contains(flags, "e"), embedded: strings.Contains(flags, "m"), path: path,
				tag: reflect.StructTag(w[i+2]), typ: numbers(i + 3),
			})
		}
	case channel:
		t.kind, t.elem = other, numbers(3)
	case other:
		if len(w) > 4 {
			t.variadic = w[3] == "v"
			if w[4] != "0" {
				t.result = numbers(4)
			}
			t.in, t.out = nil, nil // several packages may describe one type
			for i, list := 5, &t.in; i < len(w); i++ {
				if w[i] == ">" {
					list = &t.out
					continue
				}
				*list = append(*list, numbers(i))
			}
		}
	case iface:
		t.wanted = map[string]string{}
		for i := 3; i+1 < len(w); i += 2 {
			t.wanted[w[i]] = w[i+1]
		}
	}
	return nil
}

// measure reads the length of an array from its name.
func (t *Type) measure() error {
	if t.kind != array {
		return nil
	}
	if _, err := fmt.Sscanf(t.name, "[%d]", &t.size); err != nil {
		return fmt.Errorf("an array without a length: %w", err)
	}
	return nil
}

// know remembers a described type that is made of others.
func (s *Space) know(d derivation, t *Type) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.derivations[d] == nil {
		s.derivations[d] = t
	}
}

// Raw registers what the interpreter has for a type, by a pointer to it.
func (s *Space) Raw(id int, p any) { s.typ(id).raw = reflect.TypeOf(p).Elem() }

// Signature registers the type of a method.
func (s *Space) Signature(id int, name string, signature int) {
	t := s.typ(id)
	m := t.methods[name]
	m.typ = s.typ(signature)
	t.methods[name] = m
}

// Method registers a method of a type.
func (s *Space) Method(id int, name, signature string, bind func(any) any) {
	t := s.typ(id)
	m := t.methods[name]
	m.signature, m.bind = signature, bind
	t.methods[name] = m
}

// Result registers what templates must know about a method: the type of its first result, which may be 0, and whether it is variadic.
func (s *Space) Result(id int, name string, result int, variadic bool) {
	t := s.typ(id)
	m := t.methods[name]
	m.variadic = variadic
	if result != 0 {
		m.result = s.typ(result)
	}
	t.methods[name] = m
}

// Interface registers an interface type of compiled code by a pointer to it.
func (s *Space) Interface(id int, p any) {
	t := s.typ(id)
	t.exact = reflect.TypeOf(p).Elem()
	t.wrapper = s.wrapper(t.exact)
}

// Hidden registers the interpreter's type for fields of a type that it has as any, by a pointer to it.
func (s *Space) Hidden(id int, p any) { s.typ(id).hidden = reflect.TypeOf(p).Elem() }

// Native registers a type of compiled code by a pointer to it.
func (s *Space) Native(id int, p any) { s.typ(id).exact = reflect.TypeOf(p).Elem() }
