package box

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"testing"
)

// space returns the types of a plugin: level, a number with the method String; point, a struct of a level and a hidden number; and
// fault, an error.
func space() *Space {
	s := New(func(reflect.Type) reflect.Type { return nil }, io.Discard)
	s.Types("1 n \"int\"\n2 d \"p.level\" 1 \"level\" \"p\"\n3 t \"struct { L p.level; n int }\" \"L\" \"e\" \"json:\\\"l\\\"\" 2 \"n\" \"\" \"\" 1\n" +
		"4 d \"p.point\" 3 \"point\" \"p\"\n5 p \"*p.point\" 4\n6 d \"p.fault\" 1 \"fault\" \"p\"\n7 s \"[]p.level\" 2\n8 i \"p.shower\" \"String\" \"func() string\"\n")
	s.Native(1, new(int))
	s.Method(2, "String", "func() string", func(v any) any { return func() string { return fmt.Sprint("L", v) } })
	s.Method(6, "Error", "func() string", func(v any) any { return func() string { return fmt.Sprint("fault ", v) } })
	return s
}

// raw is how the interpreter has a point.
type rawPoint struct{ L, Xn int }

// TestFormat prints boxes as package fmt prints values of compiled types.
func TestFormat(t *testing.T) {
	t.Parallel()
	s := space()
	for _, tt := range []struct {
		format string
		v      any
		want   string
	}{
		{"%v", s.Box(2, 2), "L2"},
		{"%d|%5v|%q", s.Box(2, 2), `2|   L2|"L2"`},
		{"%#v %T", s.Box(2, 2), "2 p.level"},
		{"%v %+v", s.Box(rawPoint{1, 5}, 4), "{L1 5} {L:L1 n:5}"},
		{"%#v", s.Box(rawPoint{1, 5}, 4), "p.point{L:1, n:5}"},
		{"%v %T", s.Box(&rawPoint{1, 5}, 5), "&{L1 5} *p.point"},
		{"%v", s.Box((*rawPoint)(nil), 5), "<nil>"},
		{"%v %s", s.Box([]int{1, 2}, 7), "[L1 L2] [L1 L2]"},
		{"%v %d", s.Box(3, 6), "fault 3 3"},
	} {
		var args []any
		for i := range len(tt.format) {
			if tt.format[i] == '%' {
				args = append(args, tt.v)
			}
		}
		format, args := Args(tt.format, args)
		if got := fmt.Sprintf(format, args...); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.format, got, tt.want)
		}
	}
}

// TestIdentity checks assertions, comparisons, errors and encoding of boxes.
func TestIdentity(t *testing.T) {
	t.Parallel()
	s := space()
	level, number := s.Box(2, 2), any(2)
	if !s.Is(level, 2) || s.Is(level, 1) || s.Is(number, 2) || !s.Is(number, 1) || !s.Is(level, 8) || s.Is(number, 8) || s.Is(nil, 1) {
		t.Error("a type is confused with another")
	}
	if !s.Equal(level, s.Box(2, 2)) || s.Equal(level, number) || s.Equal(level, s.Box(2, 6)) {
		t.Error("values of different types are equal, or equal ones are not")
	}
	if s.Get(level, 2, "any") != any(2) {
		t.Error("a box lost its content")
	}
	wrapped := fmt.Errorf("x: %w", s.Box(3, 6).(error))                                                                                                                     //nolint:forcetypeassert // the type has the method Error
	if !errors.Is(wrapped, s.Box(3, 6).(error)) || errors.Is(wrapped, s.Box(4, 6).(error)) || !s.As(wrapped, 6, nil, func(any) {}) || s.As(wrapped, 2, nil, func(any) {}) { //nolint:forcetypeassert // see above
		t.Error("errors are not found")
	}
	text, err := json.Marshal(s.Mirror([]any{s.Box(rawPoint{1, 5}, 4), nil}))
	if err != nil || string(text) != `[{"l":1},null]` {
		t.Errorf("got %s, %v", text, err)
	}
	var p rawPoint
	if err := s.Fill(s.Box(&p, 5), func(v any) error { return json.Unmarshal([]byte(`{"l":4,"n":9}`), v) }); err != nil || p != (rawPoint{4, 0}) {
		t.Errorf("got %v, %v", p, err)
	}
	defer func() {
		if err, ok := recover().(error); !ok || err.Error() != "interface conversion: interface {} is p.level, not int" {
			t.Errorf("got %v", err)
		}
	}()
	s.Get(level, 1, "interface {}")
}
