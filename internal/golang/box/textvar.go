package box

import (
	"encoding"
	"flag"
	"fmt"
	"reflect"
)

// textPlace is the value of a flag: what a pointer of an own type refers to.
type textPlace struct{ pointer Value }

// UnmarshalText decodes the value.
func (p *textPlace) UnmarshalText(text []byte) error {
	return p.pointer.method("UnmarshalText").(func([]byte) error)(text) //nolint:forcetypeassert // the parameter of TextVar has the method
}

// MarshalText encodes the value.
func (p textPlace) MarshalText() ([]byte, error) {
	if m, ok := p.pointer.method("MarshalText").(func() ([]byte, error)); ok {
		return m()
	}
	elem := Value{p.pointer.T.base().elem, reflect.ValueOf(p.pointer.V).Elem().Interface()}
	return elem.method("MarshalText").(func() ([]byte, error))() //nolint:forcetypeassert // the parameter of TextVar has the method
}

// TextVar is flag.TextVar.
func (s *Space) TextVar(p any, name string, value any, usage string) {
	s.SetTextVar(flag.CommandLine, p, name, value, usage)
}

// SetTextVar is the method TextVar of a set of flags.
func (s *Space) SetTextVar(set *flag.FlagSet, p any, name string, value any, usage string) {
	b, ok := open(p).(boxed)
	if !ok {
		to, _ := p.(encoding.TextUnmarshaler)
		from, _ := value.(encoding.TextMarshaler)
		set.TextVar(to, name, from, usage)
		return
	}
	c := b.content()
	if c.T.base().kind != pointer {
		panic("variable value type must be a pointer")
	}
	t, from := c.T.base().elem, reflect.ValueOf(Plain(value))
	in, ok := open(value).(boxed)
	switch {
	case ok && in.content().T == c.T:
		from = from.Elem()
	case !ok || in.content().T != t:
		panic(fmt.Sprintf("default type does not match variable type: %s != %s", nameOf(open(value)), t))
	}
	reflect.ValueOf(c.V).Elem().Set(from)
	place := textPlace{c}
	set.TextVar(&place, name, place, usage)
}
