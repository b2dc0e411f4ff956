package shared

import (
	"encoding/json"
	"math"
	"reflect"
	"sync"

	"github.com/fxamacker/cbor/v2"
)

// The codec keeps what Go values mean: nil and empty apart, int as int and float64 as float64, times with their offset,
// text byte for byte. A json.Number is an integer that is too large for both.
var (
	tags = must(numberTags())

	encoder = must(cbor.EncOptions{
		Time:    cbor.TimeRFC3339Nano,
		TimeTag: cbor.EncTagRequired,
	}.EncModeWithTags(tags))

	decoder = must(cbor.DecOptions{
		UTF8:             cbor.UTF8DecodeInvalid,
		DefaultMapType:   reflect.TypeFor[map[string]any](),
		TimeTag:          cbor.DecTagOptional,
		MaxNestedLevels:  maxNesting,
		MaxArrayElements: math.MaxInt32,
		MaxMapPairs:      math.MaxInt32,
	}.DecModeWithTags(tags))
)

// maxNesting is how deep lists and maps may be within each other.
const maxNesting = 1024

// numberTag marks the text of a json.Number. It is from the range that anybody may use.
const numberTag = 70_000

func numberTags() (cbor.TagSet, error) {
	set := cbor.NewTagSet()
	return set, set.Add(cbor.TagOptions{EncTag: cbor.EncTagRequired, DecTag: cbor.DecTagRequired}, reflect.TypeFor[json.Number](), numberTag)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// encode never mixes up nil and empty; the bytes are only meant for decode.
func encode(v any) ([]byte, error) {
	b, err := encoder.Marshal(v)
	if err != nil {
		return nil, unsendable(err)
	}
	return b, nil
}

// decode fills the value that into points to.
func decode(b []byte, into any) error {
	if err := decoder.Unmarshal(b, into); err != nil {
		return unsendable(err)
	}
	restoreInts(reflect.ValueOf(into).Elem())
	return nil
}

// restoreInts turns the int64 and uint64 that CBOR yields in interface values back into int, where they fit. It visits only
// what can hold an interface.
func restoreInts(v reflect.Value) {
	if !holdsInterface(v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() && v.CanSet() {
			v.Set(reflect.ValueOf(plainInt(v.Interface())))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			restoreInts(v.Elem())
		}
	case reflect.Struct:
		for _, f := range v.Fields() {
			restoreInts(f)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			restoreInts(v.Index(i))
		}
	case reflect.Map:
		restoreMap(v)
	default:
	}
}

// restoreMap handles map[string]any without reflection per entry, and any other map by copying its values.
func restoreMap(v reflect.Value) {
	if m, ok := reflect.TypeAssert[map[string]any](v); ok {
		plainInt(m)
		return
	}
	for _, k := range v.MapKeys() {
		e := reflect.New(v.Type().Elem()).Elem()
		e.Set(v.MapIndex(k))
		restoreInts(e)
		v.SetMapIndex(k, e)
	}
}

// plainInt rewrites dynamic values in place and returns the new value.
func plainInt(v any) any {
	switch x := v.(type) {
	case int64:
		if int64(int(x)) == x {
			return int(x)
		}
	case uint64:
		if x <= math.MaxInt {
			return int(x)
		}
	case map[string]any:
		for k, e := range x {
			switch e.(type) {
			case int64, uint64:
				x[k] = plainInt(e)
			case map[string]any, []any:
				plainInt(e)
			}
		}
	case []any:
		for i, e := range x {
			x[i] = plainInt(e)
		}
	}
	return v
}

var interfaceHolders sync.Map // reflect.Type to bool

// holdsInterface reports whether a value of type t can hold an interface somewhere below.
func holdsInterface(t reflect.Type) bool {
	if known, ok := interfaceHolders.Load(t); ok {
		return known.(bool)
	}
	holds := findInterface(t, map[reflect.Type]bool{})
	interfaceHolders.Store(t, holds)
	return holds
}

// findInterface keeps the types it is inside of in seen: a type that contains itself holds what its other parts hold.
func findInterface(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return findInterface(t.Elem(), seen)
	case reflect.Struct:
		for f := range t.Fields() {
			if f.IsExported() && findInterface(f.Type, seen) {
				return true
			}
		}
	default:
	}
	return false
}

// clone copies a dynamic value with every map and slice in it.
func clone(v any) any {
	switch x := v.(type) {
	case map[string]any:
		return cloneMap(x)
	case []any:
		if x == nil {
			return x
		}
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = clone(e)
		}
		return out
	default:
		return v
	}
}

func cloneMap(m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	out := make(map[string]any, len(m))
	for k, e := range m {
		out[k] = clone(e)
	}
	return out
}
