package exact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// JSON has only one kind of number, no times, and no text that is not UTF-8. In this encoding, a number with a point or an exponent is
// a float64, and a number without is an int. A value that JSON cannot represent is an object with one key:
//
//	{"$float": "NaN"}  {"$text": "base64 of any bytes"}  {"$data": "base64"}  {"$time": "RFC 3339"}  {"$number": "digits"}  {"$map": [["key", value]]}
//
// "$map" is for a map that has a key that begins with "$" or is not UTF-8. If the static type is known, a time is encoded as plain text.
const (
	markFloat  = "$float"
	markText   = "$text"
	markData   = "$data"
	markTime   = "$time"
	markMap    = "$map"
	markNumber = "$number"
)

// write returns a value that encoding/json encodes without losing information about v.
func write(v reflect.Value) (any, error) {
	if v.Kind() == reflect.Interface {
		return writeDynamic(v.Elem())
	}
	if t, ok := reflect.TypeAssert[time.Time](v); ok {
		return t.Format(time.RFC3339Nano), nil
	}
	switch v.Kind() {
	case reflect.Struct:
		return writeStruct(v)
	case reflect.Map:
		return writeEntries(v)
	case reflect.Pointer:
		if v.IsNil() {
			return nil, nil
		}
		return write(v.Elem())
	case reflect.Slice:
		if v.IsNil() {
			return nil, nil
		}
		out := make([]any, v.Len())
		for i := range out {
			var err error
			if out[i], err = write(v.Index(i)); err != nil {
				return nil, err
			}
		}
		return out, nil
	case reflect.String:
		return writeText(v.String()), nil
	case reflect.Bool:
		return v.Bool(), nil
	case reflect.Float64, reflect.Float32:
		return writeFloat(v.Float()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return json.Number(strconv.FormatInt(v.Int(), 10)), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return json.Number(strconv.FormatUint(v.Uint(), 10)), nil
	default:
		return nil, fmt.Errorf("a %s cannot be sent", v.Type())
	}
}

// writeDynamic marks values whose type the other side cannot derive from the JSON alone, because it does not know the static
// type.
func writeDynamic(v reflect.Value) (any, error) {
	if !v.IsValid() {
		return nil, nil
	}
	if t, ok := reflect.TypeAssert[time.Time](v); ok {
		if t.IsZero() {
			// The codec encodes a zero time as null.
			return nil, nil
		}
		return map[string]any{markTime: t.Format(time.RFC3339Nano)}, nil
	}
	if data, ok := reflect.TypeAssert[[]byte](v); ok {
		return map[string]any{markData: base64.StdEncoding.EncodeToString(data)}, nil
	}
	if n, ok := reflect.TypeAssert[json.Number](v); ok {
		return map[string]any{markNumber: n.String()}, nil
	}
	if v.Kind() == reflect.Struct {
		return nil, fmt.Errorf("a %s cannot be sent as a value of any type", v.Type())
	}
	return write(v)
}

func writeStruct(v reflect.Value) (any, error) {
	out := make(map[string]any, v.NumField())
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		var err error
		if out[name], err = write(v.Field(i)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return out, nil
}

func writeEntries(v reflect.Value) (any, error) {
	if v.IsNil() {
		return nil, nil
	}
	out, pairs, plain := make(map[string]any, v.Len()), make([]any, 0, v.Len()), true
	for _, k := range v.MapKeys() {
		key := fmt.Sprint(k.Interface())
		value, err := write(v.MapIndex(k))
		if err != nil {
			return nil, fmt.Errorf("%q: %w", key, err)
		}
		plain = plain && utf8.ValidString(key) && !strings.HasPrefix(key, "$")
		out[key] = value
		pairs = append(pairs, []any{writeText(key), value})
	}
	if !plain {
		return map[string]any{markMap: pairs}, nil
	}
	return out, nil
}

func writeText(s string) any {
	if utf8.ValidString(s) {
		return s
	}
	return map[string]any{markText: base64.StdEncoding.EncodeToString([]byte(s))}
}

func writeFloat(f float64) any {
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return map[string]any{markFloat: s}
	}
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return json.Number(s)
}
