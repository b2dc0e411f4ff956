package symtab

import (
	"go/constant"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/traefik/yaegi/stdlib"
)

// TestComplete compares the tables with those that come with the interpreter: no symbol is missing, and each is of the same kind.
func TestComplete(t *testing.T) {
	t.Parallel()
	for key, table := range stdlib.Symbols {
		p := path.Dir(key)
		if p == "." || strings.Contains(p, "yaegi") {
			continue
		}
		got := Symbols(p)
		if got == nil {
			t.Errorf("package %s is missing", p)
			continue
		}
		for name, want := range table {
			if v, ok := got[name]; !ok {
				t.Errorf("%s.%s is missing", p, name)
			} else if p != "log" && !alike(name, v, want) {
				t.Errorf("%s.%s is a %s, want %s", p, name, v.Type(), want.Type())
			}
		}
	}
}

// alike reports whether two symbols are of the same type. Wrappers are types of their packages, and Go may have added methods to them.
func alike(name string, got, want reflect.Value) bool {
	if a, ok := reflect.TypeAssert[constant.Value](want); ok {
		b, ok := reflect.TypeAssert[constant.Value](got)
		return ok && a.Kind() == b.Kind()
	}
	if strings.HasPrefix(name, "_") {
		return got.Type().Elem().Field(0).Name == "IValue"
	}
	return got.Type() == want.Type() && got.CanAddr() == want.CanAddr()
}

func TestConstants(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ path, name, want string }{
		{"math", "MaxUint64", "18446744073709551615"},
		{"math", "Pi", "3.14159"},
		{"math", "SmallestNonzeroFloat64", "4.94066e-324"},
		{"math", "MaxInt8", "127"},
		{"runtime", "Compiler", `"gc"`},
	} {
		v, ok := reflect.TypeAssert[constant.Value](Symbols(tt.path)[tt.name])
		if !ok || v.String() != tt.want {
			t.Errorf("%s.%s is %v, want %s", tt.path, tt.name, v, tt.want)
		}
	}
}

// TestIndex checks that packages are found: the index is searched as a sorted list.
func TestIndex(t *testing.T) {
	t.Parallel()
	if !slices.IsSortedFunc(packages[:], func(a, b entry) int { return strings.Compare(a.path, b.path) }) {
		t.Error("the index is not sorted")
	}
	for _, e := range packages {
		if Symbols(e.path) == nil {
			t.Errorf("%s is not found", e.path)
		}
	}
	for _, p := range []string{"", "os/exec", "unsafe", "syscall", "internal/abi"} {
		if Symbols(p) != nil {
			t.Errorf("%q is found", p)
		}
	}
}

// TestOwned checks that nobody can change a table for others.
func TestOwned(t *testing.T) {
	t.Parallel()
	delete(Symbols("fmt"), "Print")
	if _, ok := Symbols("fmt")["Print"]; !ok {
		t.Error("the table is shared")
	}
}
