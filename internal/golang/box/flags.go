package box

import (
	"flag"
	"reflect"
	"sync"
)

// Package flag prints a default value unless it is the text of a zero value of the type of the flag. So the flags of each own type have a type of
// their own, of which there are a few: its parameter is an array whose length is the number of the own type.
type (
	flagOf[N any] struct {
		IValue any // the box, as in the interpreter's own types for interfaces
		flag.Value
	}
	boolFlagOf[N any] struct {
		IValue any
		flag.Value
		isBoolFlag
	}
	isBoolFlag func() bool
	// flagKind makes the flags of one type.
	flagKind func(box any, v flag.Value, is isBoolFlag) flag.Value
)

var flagKinds = []flagKind{
	newFlag[[0]struct{}], newFlag[[1]struct{}], newFlag[[2]struct{}], newFlag[[3]struct{}], newFlag[[4]struct{}], newFlag[[5]struct{}], newFlag[[6]struct{}],
	newFlag[[7]struct{}], newFlag[[8]struct{}], newFlag[[9]struct{}], newFlag[[10]struct{}], newFlag[[11]struct{}], newFlag[[12]struct{}],
}

// flagZeros holds a zero value of each own type that has flags, in the order of flagKinds.
var flagZeros struct {
	sync.Mutex

	values []Value
}

// ownFlag returns a flag of an own type. wrapped calls the methods of the value.
func ownFlag(b Value, wrapped flag.Value) flag.Value {
	is, _ := b.method("IsBoolFlag").(func() bool)
	flagZeros.Lock()
	defer flagZeros.Unlock()
	n := 0
	for n < len(flagZeros.values) && flagZeros.values[n].T != b.T {
		n++
	}
	if n == len(flagZeros.values) {
		if n == len(flagKinds)-1 {
			// The last kind is for all other types: their zero values have no text.
			return flagKinds[n](open(wrapped), wrapped, is)
		}
		flagZeros.values = append(flagZeros.values, Value{b.T, zeroLike(b.V)})
	}
	return flagKinds[n](open(wrapped), wrapped, is)
}

// zeroLike returns a zero value of the type of v, or a pointer to one.
func zeroLike(v any) any {
	t := reflect.TypeOf(v)
	if t.Kind() == reflect.Pointer {
		return reflect.New(t.Elem()).Interface()
	}
	return reflect.Zero(t).Interface()
}

func newFlag[N any](box any, v flag.Value, is isBoolFlag) flag.Value {
	if is == nil {
		return flagOf[N]{box, v}
	}
	return boolFlagOf[N]{box, v, is}
}

// String returns the text of the flag.
func (f flagOf[N]) String() string { return flagText(f.Value, reflect.TypeFor[N]().Len()) }

// String returns the text of the flag.
func (f boolFlagOf[N]) String() string { return flagText(f.Value, reflect.TypeFor[N]().Len()) }

// IsBoolFlag calls the function.
func (f isBoolFlag) IsBoolFlag() bool { return f() }

// flagText returns the text of a flag, or of the zero value of the own type with a number.
func flagText(v flag.Value, n int) (text string) {
	if v != nil {
		return v.String()
	}
	flagZeros.Lock()
	var zero Value
	if n < len(flagZeros.values) {
		zero = flagZeros.values[n]
	}
	flagZeros.Unlock()
	if zero.T == nil {
		return ""
	}
	defer func() {
		if recover() != nil {
			text = "" // the method String does not expect a zero value
		}
	}()
	if f, ok := zero.method("String").(func() string); ok {
		return f()
	}
	return ""
}
