package shared

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"sync"

	"github.com/fxamacker/cbor/v2"

	"github.com/idelchi/aura/shared/exact"
)

// The codec preserves Go values: it distinguishes nil from empty, int from float64, and keeps the offsets of times and the
// bytes of strings. A json.Number is an integer that is too large for int and float64.
var (
	tags = must(numberTags())

	encoder = must(cbor.EncOptions{
		Time:    cbor.TimeRFC3339Nano,
		TimeTag: cbor.EncTagRequired,
	}.UserBufferEncModeWithTags(tags))

	decoder = must(cbor.DecOptions{
		UTF8:             cbor.UTF8DecodeInvalid,
		DefaultMapType:   reflect.TypeFor[map[string]any](),
		TimeTag:          cbor.DecTagOptional,
		MaxNestedLevels:  maxNesting,
		MaxArrayElements: math.MaxInt32,
		MaxMapPairs:      math.MaxInt32,
	}.DecModeWithTags(tags))
)

// large is the size of a text, in bytes, from which a copy of it matters. textHead is more than what precedes an encoded text.
const (
	large    = 1 << 20
	textHead = 16
)

// maxNesting is how deeply lists and maps may be nested.
const maxNesting = exact.MaxNesting

// numberTag marks the text of a json.Number. Its value is from the range of tags that are free for any use.
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

// encode preserves the difference between nil and empty. Only decode is meant to read the bytes.
func encode(v any) ([]byte, error) {
	if text, ok := v.(string); ok && len(text) > large {
		// The encoder would keep a buffer of this size, and return a copy.
		exact.MakeRoom(len(text))
		var b bytes.Buffer
		b.Grow(len(text) + textHead)
		err := encoder.MarshalToBuffer(v, &b)
		return b.Bytes(), err
	}
	b, err := encoder.Marshal(v)
	if err != nil {
		return nil, unsendable(err)
	}
	return b, nil
}

// decode decodes b into the value that into points to.
func decode(b []byte, into any) error {
	if err := decoder.Unmarshal(b, into); err != nil {
		return unsendable(err)
	}
	restoreInts(reflect.ValueOf(into).Elem())
	return nil
}

// restoreInts converts the int64 and uint64 values that CBOR decodes into interfaces back to int, if they fit. It visits only
// types that can contain an interface.
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

// restoreMap restores map[string]any without reflection per entry, and any other map by copying its values.
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

// plainInt converts dynamic values in place and returns the new value.
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

// holdsInterface reports whether a value of type t can contain an interface at any depth.
func holdsInterface(t reflect.Type) bool {
	if known, ok := interfaceHolders.Load(t); ok {
		return known.(bool)
	}
	holds := findInterface(t, map[reflect.Type]bool{})
	interfaceHolders.Store(t, holds)
	return holds
}

// findInterface records visited types in seen: a recursive type contains an interface only if one of its other parts does.
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

// clone returns a deep copy of a dynamic value.
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
