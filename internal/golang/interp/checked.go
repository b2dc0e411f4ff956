package interp

import (
	"reflect"
	"strings"
	"unsafe"
)

// genValue is a function of the interpreter: it returns the one that reads the value of a node from a frame.
//
//go:linkname genValue github.com/traefik/yaegi/interp.genValue
func genValue(n unsafe.Pointer) func(frame unsafe.Pointer) reflect.Value

// checked is deferred for a node that indexes or slices. The interpreter panics with a text without numbers. Then the same is done with something
// of the same length and capacity, which panics with the error that Go has.
func checked(n, frame unsafe.Pointer) {
	v := recover()

	if v == nil {
		return
	}
	if text, ok := v.(string); ok && strings.HasPrefix(text, "reflect") {
		l := layoutOf()
		own := *part[func(unsafe.Pointer)](n, l.gen)
		var operands []reflect.Value
		for _, c := range *part[[]unsafe.Pointer](n, l.child) {
			operands = append(operands, genValue(c)(frame))
		}

		retry(generatorName(own), operands[0], operands[1:])
	}
	panic(v)
}

// shift returns the step of a node that shifts, which panics where the count is negative, as in Go.
func (w *watcher) shift(n unsafe.Pointer, own step) step {
	count := genValue((*part[[]unsafe.Pointer](n, w.child))[1])
	return func(frame unsafe.Pointer) step {
		if v := number(count(frame)); v.CanInt() && v.Int() < 0 {
			_ = 1 << v.Int()
		}
		return own(frame)
	}
}

// deref returns the step of a node that reads what a pointer points to, which panics where the pointer is nil. The interpreter goes on without a value.
func (w *watcher) deref(n unsafe.Pointer, own step) step {
	pointer := genValue((*part[[]unsafe.Pointer](n, w.child))[0])
	return func(frame unsafe.Pointer) step {
		if p := pointer(frame); p.Kind() == reflect.Pointer && p.IsNil() {
			_ = *(*byte)(p.UnsafePointer())
		}
		return own(frame)
	}
}

// retry indexes or slices something like x. The name of the interpreter's function says which.
func retry(name string, x reflect.Value, numbers []reflect.Value) {
	for x.Kind() == reflect.Pointer || x.Kind() == reflect.Interface {
		x = x.Elem()
	}
	if name == "interp.getIndexArray" {
		list := make([]struct{}, x.Len())
		if i := number(numbers[0]); i.CanUint() {
			_ = list[i.Uint()]
		} else {
			_ = list[i.Int()]
		}
		return
	}
	low, high, most := 0, x.Len(), -1
	given := []*int{&low, &high, &most}
	if name == "interp.slice0" {
		given = given[1:]
	}
	for k, n := range numbers {
		*given[k] = int(number(n).Convert(reflect.TypeFor[int]()).Int())
	}
	list := make([]struct{}, x.Len(), capOf(x))
	switch {
	case len(numbers) == len(given):
		_ = list[low:high:most]
	case x.Kind() == reflect.Slice:
		_ = list[low:high]
	default:
		_ = string(make([]byte, x.Len()))[low:high]
	}
}

func capOf(x reflect.Value) int {
	if x.Kind() == reflect.Slice {
		return x.Cap()
	}
	return x.Len()
}

// number returns the value of an operand, which may be in an interface value.
func number(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v
}
