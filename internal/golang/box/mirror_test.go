package box

import (
	"reflect"
	"testing"
)

// TestReflectedMethods holds what stands for types of package reflect against the types: a method that is missing is an error at load.
func TestReflectedMethods(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]reflect.Type{
		{reflect.TypeFor[reflect.Value](), reflect.TypeFor[Reflected]()},
		{reflect.TypeFor[*reflect.MapIter](), reflect.TypeFor[*ReflectedIter]()},
		{reflect.TypeFor[reflect.Method](), reflect.TypeFor[ReflectedMethod]()},
	} {
		for m := range pair[0].Methods() {
			if _, ok := pair[1].MethodByName(m.Name); !ok {
				t.Errorf("%s lacks the method %s of %s", pair[1], m.Name, pair[0])
			}
		}
	}
}
