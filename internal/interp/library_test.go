package interp

import (
	"reflect"
	"testing"

	"github.com/traefik/yaegi/stdlib"

	"github.com/idelchi/aura/internal/repair"
)

// TestRepairedInterfaces looks for the interfaces of the library that repairs know by name.
func TestRepairedInterfaces(t *testing.T) {
	t.Parallel()
	for path, names := range repair.Interfaces() {
		for _, name := range names {
			v, ok := stdlib.Symbols[symbolKey(path)][name]
			if !ok || v.Kind() != reflect.Pointer || v.Type().Elem().Kind() != reflect.Interface || v.Type().Elem().NumMethod() == 0 {
				t.Errorf("%s.%s is no interface with methods", path, name)
			}
		}
	}
}
