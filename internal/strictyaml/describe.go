package strictyaml

import (
	"fmt"
	"maps"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxQuoted bounds how much of a wrong value an error repeats, in runes.
const maxQuoted = 40

func mismatch(n *yaml.Node, path, want string) error {
	hint := ""

	switch {
	case want == wantText && n.Kind == yaml.ScalarNode:
		hint = " (put it in quotes)"
	case want == wantList && n.Kind == yaml.ScalarNode:
		hint = " (put it in brackets)"
	}

	return fault(n, "%sexpected %s, got %s%s", keyed(path), want, describe(n), hint)
}

const (
	wantText = "text"
	wantList = "a list"
)

func wanted(t reflect.Type) string {
	switch kind := t.Kind(); {
	case t == durationType:
		return "a duration such as 10s"
	case kind == reflect.String:
		return wantText
	case kind == reflect.Bool:
		return "true or false"
	case kind == reflect.Float32, kind == reflect.Float64:
		return "a number"
	case kind >= reflect.Uint && kind <= reflect.Uintptr:
		return "a whole number that is not negative"
	default:
		return "a whole number"
	}
}

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
	}

	text := []rune(n.Value)
	if len(text) > maxQuoted {
		text = append(text[:maxQuoted], '…')
	}

	kinds := map[string]string{
		"!!str": "text", "!!int": "the number", "!!float": "the number", "!!bool": "the truth value",
		"!!timestamp": "the time",
	}

	kind, ok := kinds[n.ShortTag()]
	if !ok {
		kind = "a value tagged " + n.ShortTag()
	}

	return fmt.Sprintf("%s %q", kind, string(text))
}

// keyed is the start of a message about the value at path.
func keyed(path string) string {
	if path == "" {
		return ""
	}

	return fmt.Sprintf("key %q: ", path)
}

func join(path, key string) string {
	if path == "" {
		return key
	}

	return path + "." + key
}

// fieldSet is what a struct accepts: named fields, and rest for any other key when it has an inlined map.
type fieldSet struct {
	names []string
	types map[string]reflect.Type
	rest  reflect.Type
}

// fields follows the YAML library's rules: the yaml tag, or else the field's name in lower case.
func fields(t reflect.Type) fieldSet {
	set := fieldSet{types: make(map[string]reflect.Type, t.NumField())}

	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if name == "-" || (!field.IsExported() && !field.Anonymous) {
			continue
		}

		if strings.Contains(options, "inline") {
			set.inline(field.Type)

			continue
		}

		if name == "" {
			name = strings.ToLower(field.Name)
		}

		set.names = append(set.names, name)
		set.types[name] = field.Type
	}

	return set
}

func (s *fieldSet) inline(t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}

	if t.Kind() == reflect.Map {
		s.rest = t.Elem()

		return
	}

	inner := fields(t)
	s.names = append(s.names, inner.names...)

	maps.Copy(s.types, inner.types)

	if inner.rest != nil {
		s.rest = inner.rest
	}
}
