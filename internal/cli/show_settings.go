package cli

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/idelchi/aura/internal/settings/config"
)

// setting is one value of an entity and its path of keys.
type setting struct {
	path  []string
	value any
}

func (s setting) key() string { return strings.Join(s.path, ".") }

// text returns the value on one line.
func (s setting) text() string {
	list, ok := s.value.([]any)
	if !ok {
		return fmt.Sprint(s.value)
	}
	words := make([]string, 0, len(list))
	for _, item := range list {
		words = append(words, fmt.Sprint(item))
	}
	return strings.Join(words, ", ")
}

// reader splits values into settings.
type reader struct {
	// zero keeps values that are not set.
	zero bool
	hide mask
	out  []setting
}

// read follows structs and maps down to plain values. Fields are named as in files. Fields that do not occur in files are
// omitted.
func (r *reader) read(path []string, v reflect.Value) {
	// The target of a pointer was set, even if it is zero.
	set := false
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return
		}
		set = set || v.Kind() == reflect.Pointer
		v = v.Elem()
	}
	if !v.IsValid() {
		return
	}
	if text, ok := reflect.TypeAssert[fmt.Stringer](v); ok {
		r.add(path, text.String(), v.IsZero())
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for field, value := range v.Fields() {
			switch name := fileKey(field); {
			case field.Anonymous && field.IsExported():
				r.read(path, value)
			case name != "":
				r.read(slices.Concat(path, []string{name}), value)
			}
		}
	case reflect.Map:
		for _, key := range slices.Sorted(maps.Keys(entries(v))) {
			r.read(slices.Concat(path, []string{key}), entries(v)[key])
		}
	case reflect.Slice:
		list := make([]any, 0, v.Len())
		for i := range v.Len() {
			list = append(list, r.hide.value(path, untyped(v.Index(i))))
		}
		r.add(path, list, v.Len() == 0)
	default:
		r.add(path, untyped(v), v.IsZero() && !set)
	}
}

func (r *reader) add(path []string, value any, zero bool) {
	if zero && !r.zero {
		return
	}
	r.out = append(r.out, setting{path: path, value: r.hide.value(path, value)})
}

func entries(m reflect.Value) map[string]reflect.Value {
	out := make(map[string]reflect.Value, m.Len())
	for key, value := range m.Seq2() {
		out[fmt.Sprint(key.Interface())] = value
	}
	return out
}

// untyped returns a value without its named type, so that a text is a string and JSON calls no methods.
func untyped(v reflect.Value) any {
	if v.Kind() == reflect.String {
		return v.String()
	}
	return v.Interface()
}

// fileKey returns the key of a field in a file. A field without a tag is part of features, and its key is derived from its name.
func fileKey(f reflect.StructField) string {
	if !f.IsExported() || f.Type == reflect.TypeFor[config.Source]() {
		return ""
	}
	tag, has := f.Tag.Lookup("yaml")
	name, _, _ := strings.Cut(tag, ",")
	switch {
	case name == "-":
		return ""
	case !has:
		return snake(f.Name)
	}
	return name
}

// snake returns a name in lower case with an underscore before each further word.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// nested returns the settings in the nested form of the JSON output.
func nested(settings []setting) map[string]any {
	out := map[string]any{}
	for _, s := range settings {
		at := out
		for _, key := range s.path[:len(s.path)-1] {
			inner, ok := at[key].(map[string]any)
			if !ok {
				inner = map[string]any{}
				at[key] = inner
			}
			at = inner
		}
		at[s.path[len(s.path)-1]] = s.value
	}
	return out
}
