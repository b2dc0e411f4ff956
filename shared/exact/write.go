package exact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
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

// structField is a field of a struct. key is its name as JSON, with a colon. nests reports whether the struct may contain itself in the field.
type structField struct {
	index int
	name  string
	key   []byte
	nests bool
}

// knownFields holds the fields of struct types, by reflect.Type, in the order of their names: that of encoding/json for maps.
var knownFields sync.Map

func fieldsOf(t reflect.Type) []structField {
	if known, ok := knownFields.Load(t); ok {
		return known.([]structField) //nolint:forcetypeassert // nothing else is stored
	}
	out := make([]structField, 0, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		out = append(out, structField{index: i, name: f.Name, key: append(appendText(nil, f.Name), ':'), nests: f.IsExported() && nests(f.Type, t)})
	}
	slices.SortFunc(out, func(a, b structField) int { return strings.Compare(a.name, b.name) })
	knownFields.Store(t, out)
	return out
}

var (
	timeType   = reflect.TypeFor[time.Time]()
	bytesType  = reflect.TypeFor[[]byte]()
	numberType = reflect.TypeFor[json.Number]()
)

// appendTyped appends a value whose static type the other side knows.
func appendTyped(dst []byte, v reflect.Value) (_ []byte, err error) {
	if v.Kind() == reflect.Interface {
		return appendDynamic(dst, v.Elem())
	}
	switch v.Kind() {
	case reflect.Struct:
		if t, ok := reflect.TypeAssert[time.Time](v); ok {
			return append(t.AppendFormat(append(dst, '"'), time.RFC3339Nano), '"'), nil
		}
		return appendStruct(dst, v)
	case reflect.Map:
		return appendMap(dst, v)
	case reflect.Pointer:
		if v.IsNil() {
			return append(dst, "null"...), nil
		}
		return appendTyped(dst, v.Elem())
	case reflect.Slice:
		if v.IsNil() {
			return append(dst, "null"...), nil
		}
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendTyped(dst, v.Index(i)); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case reflect.String:
		return appendString(dst, v.String()), nil
	case reflect.Bool:
		return strconv.AppendBool(dst, v.Bool()), nil
	case reflect.Float64, reflect.Float32:
		return appendNumber(dst, v.Float()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(dst, v.Int(), 10), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(dst, v.Uint(), 10), nil
	default:
		return nil, &KindError{v.Type()}
	}
}

// KindError is a value of a kind that cannot be sent.
type KindError struct{ Type reflect.Type }

func (e *KindError) Error() string {
	return fmt.Sprintf("a value of type %s cannot be sent to another process; use numbers, texts, booleans, times, lists and maps", e.Type)
}

// appendDynamic marks values whose type the other side cannot derive from the JSON alone, because it does not know the static
// type.
func appendDynamic(dst []byte, v reflect.Value) ([]byte, error) {
	if !v.IsValid() {
		return append(dst, "null"...), nil
	}
	switch v.Type() {
	case timeType:
		t, _ := reflect.TypeAssert[time.Time](v)
		if t.IsZero() {
			// The codec encodes a zero time as null.
			return append(dst, "null"...), nil
		}
		return appendMarked(dst, markTime, t.Format(time.RFC3339Nano)), nil
	case bytesType:
		return appendMarked(dst, markData, base64.StdEncoding.EncodeToString(v.Bytes())), nil
	case numberType:
		return appendMarked(dst, markNumber, v.String()), nil
	}
	if v.Kind() == reflect.Struct {
		return nil, fmt.Errorf("a %s cannot be sent as a value of any type", v.Type())
	}
	return appendTyped(dst, v)
}

func appendStruct(dst []byte, v reflect.Value) (_ []byte, err error) {
	dst = append(dst, '{')
	for i, f := range fieldsOf(v.Type()) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, f.key...)
		if dst, err = appendTyped(dst, v.Field(f.index)); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return append(dst, '}'), nil
}

func appendMap(dst []byte, v reflect.Value) (_ []byte, err error) {
	switch {
	case v.IsNil():
		return append(dst, "null"...), nil
	case v.Len() == 0:
		return append(dst, "{}"...), nil
	}
	type entry struct {
		key   string
		value reflect.Value
	}
	entries, plain := make([]entry, 0, v.Len()), true
	for k, value := range v.Seq2() {
		key := k.String()
		if k.Kind() != reflect.String {
			key = fmt.Sprint(k.Interface())
		}
		plain = plain && utf8.ValidString(key) && !strings.HasPrefix(key, "$")
		entries = append(entries, entry{key, value})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	opening, between, closing := "{", ":", "}"
	if !plain {
		dst = append(dst, `{"`+markMap+`":`...)
		opening, between, closing = "[", ",", "]}"
	}
	dst = append(dst, opening...)
	for i, e := range entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		if !plain {
			dst = append(dst, '[')
		}
		dst = append(appendString(dst, e.key), between...)
		if dst, err = appendTyped(dst, e.value); err != nil {
			return nil, fmt.Errorf("%q: %w", e.key, err)
		}
		if !plain {
			dst = append(dst, ']')
		}
	}
	return append(dst, closing...), nil
}

// appendMarked appends an object with one key, a mark.
func appendMarked(dst []byte, mark, text string) []byte {
	return append(appendText(append(append(append(dst, `{"`...), mark...), `":`...), text), '}')
}

func appendString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		return appendMarked(dst, markText, base64.StdEncoding.EncodeToString([]byte(s)))
	}
	return appendText(dst, s)
}

// The escapes of JSON that have a letter, and the letters.
const escaped, letters = "\"\\\b\f\n\r\t", `"\bfnrt`

// special tells which bytes encoding/json escapes. 0xe2 begins the two line separators of Unicode, which it escapes too.
var special = func() (out [256]bool) {
	for c := range ' ' {
		out[c] = true
	}
	for _, c := range []byte(`"\<>&` + "\xe2") {
		out[c] = true
	}
	return out
}()

// appendText appends a text that is UTF-8 as JSON, as encoding/json does.
func appendText(dst []byte, s string) []byte {
	MakeRoom(len(s))
	dst = append(slices.Grow(dst, len(s)+len(`""`)), '"')
	done := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !special[c] {
			continue
		}
		separator := strings.HasPrefix(s[i:], "\u2028") || strings.HasPrefix(s[i:], "\u2029")
		if c >= utf8.RuneSelf && !separator {
			continue
		}
		dst = append(dst, s[done:i]...)
		switch letter := strings.IndexByte(escaped, c); {
		case letter >= 0:
			dst = append(dst, '\\', letters[letter])
		case separator:
			i += len("\u2028") - 1
			dst = append(dst, `\u202`...)
			dst = append(dst, '8'+s[i]&1)
		default:
			dst = append(dst, `\u00`...)
			dst = append(dst, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&0xf])
		}
		done = i + 1
	}
	return append(append(dst, s[done:]...), '"')
}

func appendNumber(dst []byte, f float64) []byte {
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return appendMarked(dst, markFloat, s)
	}
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return append(dst, s...)
}
