package exact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// set is the inverse of Encode: it sets v to the value that Encode turned into tree. Numbers in tree are json.Number. Fields
// that tree does not contain do not change.
func set(tree any, v reflect.Value) error {
	if tree == nil {
		v.SetZero()
		return nil
	}
	if v.Kind() == reflect.Interface {
		value, err := dynamic(tree)
		if err == nil {
			v.Set(reflect.ValueOf(value))
		}
		return err
	}
	if v.Type() == reflect.TypeFor[time.Time]() {
		t, err := readTime(tree)
		v.Set(reflect.ValueOf(t))
		return err
	}
	switch v.Kind() {
	case reflect.Struct:
		return setStruct(tree, v)
	case reflect.Pointer:
		to := reflect.New(v.Type().Elem())
		v.Set(to)
		return set(tree, to.Elem())
	case reflect.Map:
		return setMap(tree, v)
	case reflect.Slice:
		return setSlice(tree, v)
	default:
		return setScalar(tree, v)
	}
}

func setScalar(tree any, v reflect.Value) error {
	value, err := dynamic(tree)
	if err != nil {
		return err
	}
	from := reflect.ValueOf(value)
	if !fits(from, v) {
		return fmt.Errorf("got a %T, want a %s", value, v.Type())
	}
	v.Set(from.Convert(v.Type()))
	return nil
}

// fits reports whether a scalar can be converted to v's type without changing its meaning. Reflection alone would also convert
// numbers to text and truncate them.
func fits(from, v reflect.Value) bool {
	switch from.Kind() {
	case reflect.Int:
		return v.CanInt() && !v.OverflowInt(from.Int()) || v.CanFloat()
	case reflect.Float64, reflect.String, reflect.Bool:
		return v.Kind() == from.Kind()
	default:
		return false
	}
}

func setStruct(tree any, v reflect.Value) error {
	fields, ok := tree.(map[string]any)
	if !ok {
		return fmt.Errorf("got a %T, want a %s", tree, v.Type())
	}
	for name, value := range fields {
		field := v.FieldByName(name)
		if !field.IsValid() || !field.CanSet() {
			return fmt.Errorf("it has no field %q%s", name, fewFields(v.Type()))
		}
		if err := set(value, field); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// fewFields names the fields of a type with a few. The many fields of a context are in the documentation.
func fewFields(t reflect.Type) string {
	const few = 6
	var names []string
	for _, field := range reflect.VisibleFields(t) {
		if field.IsExported() {
			names = append(names, field.Name)
		}
	}
	if len(names) > few {
		return ""
	}
	return "; its fields are " + strings.Join(names, ", ")
}

func setSlice(tree any, v reflect.Value) error {
	list, ok := tree.([]any)
	if !ok {
		return fmt.Errorf("got a %T, want a %s", tree, v.Type())
	}
	v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
	for i, value := range list {
		if err := set(value, v.Index(i)); err != nil {
			return fmt.Errorf("entry %d: %w", i, err)
		}
	}
	return nil
}

func setMap(tree any, v reflect.Value) error {
	entries, err := entriesOf(tree)
	if err != nil {
		return err
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(entries)))
	for key, value := range entries {
		e := reflect.New(v.Type().Elem()).Elem()
		if err := set(value, e); err != nil {
			return fmt.Errorf("%q: %w", key, err)
		}
		v.SetMapIndex(reflect.ValueOf(key), e)
	}
	return nil
}

// entriesOf is the inverse of appendMap, except for the values.
func entriesOf(tree any) (map[string]any, error) {
	object, ok := tree.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("a %T is no map", tree)
	}
	pairs, ok := object[markMap].([]any)
	if !ok {
		return object, nil
	}
	out := make(map[string]any, len(pairs))
	for _, p := range pairs {
		pair, ok := p.([]any)
		if !ok || len(pair) != 2 {
			return nil, fmt.Errorf("an entry of %s is no pair", markMap)
		}
		key, err := dynamic(pair[0])
		if err != nil {
			return nil, err
		}
		name, ok := key.(string)
		if !ok {
			return nil, fmt.Errorf("a key of %s is a %T", markMap, key)
		}
		out[name] = pair[1]
	}
	return out, nil
}

// dynamic returns the value of a tree whose type is derived from the JSON alone.
func dynamic(tree any) (any, error) {
	switch x := tree.(type) {
	case json.Number:
		return readNumber(string(x))
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			var err error
			if out[i], err = dynamic(e); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		if len(x) == 1 {
			for mark, value := range x {
				if text, ok := value.(string); ok && strings.HasPrefix(mark, "$") {
					return marked(mark, text)
				}
			}
		}
		return dynamicMap(x)
	default:
		return tree, nil
	}
}

func dynamicMap(tree map[string]any) (any, error) {
	entries, err := entriesOf(tree)
	if err != nil {
		return nil, err
	}
	out := make(map[string]any, len(entries))
	for k, e := range entries {
		if out[k], err = dynamic(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// marked decodes an object that replaces a value that JSON cannot represent.
func marked(mark, text string) (any, error) {
	switch mark {
	case markFloat:
		return strconv.ParseFloat(text, 64)
	case markText:
		b, err := base64.StdEncoding.DecodeString(text)
		return string(b), err
	case markData:
		return base64.StdEncoding.DecodeString(text)
	case markTime:
		return readTime(text)
	case markNumber:
		return json.Number(text), nil
	default:
		return nil, fmt.Errorf("%q stands for nothing that is known", mark)
	}
}

func readTime(tree any) (time.Time, error) {
	text, ok := tree.(string)
	if !ok {
		return time.Time{}, fmt.Errorf("a %T is no time", tree)
	}
	return time.Parse(time.RFC3339Nano, text)
}

func readNumber(s string) (any, error) {
	if strings.ContainsAny(s, ".eE") {
		return strconv.ParseFloat(s, 64)
	}
	if n, err := strconv.Atoi(s); err == nil {
		return n, nil
	}
	return strconv.ParseUint(s, 10, 64)
}
