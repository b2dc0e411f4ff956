package strictyaml

import (
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// field is a key of a struct. Its tag check holds constraints that the type does not express, separated by commas. "required"
// applies only to the schema. "min=N" and "max=N" also apply to the reader.
type field struct {
	Type     reflect.Type
	goName   string
	required bool
	bounds   bounds
}

// bounds holds the bounds of a number. A bound is nil if there is none.
type bounds struct{ min, max *float64 }

func newField(f reflect.StructField) field {
	out := field{Type: f.Type, goName: f.Name}

	for word := range strings.SplitSeq(f.Tag.Get("check"), ",") {
		name, text, _ := strings.Cut(word, "=")
		number, err := strconv.ParseFloat(text, 64)

		switch {
		case word == "":
		case name == "required":
			out.required = true
		case name == "min" && err == nil:
			out.bounds.min = &number
		case name == "max" && err == nil:
			out.bounds.max = &number
		default:
			panic(fmt.Sprintf("the tag check of the field %s has %q, which has no meaning", f.Name, word))
		}
	}

	return out
}

// check refuses a number outside the bounds. A value that is not a number was already refused, unless it is null.
func (b bounds) check(n *yaml.Node, path string) error {
	if b == (bounds{}) {
		return nil
	}

	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}

	var number float64
	if n.ShortTag() == "!!null" {
		return nil
	}

	if err := safely(func() error { return n.Decode(&number) }); err != nil {
		return nil //nolint:nilerr // the reader reports what is not a number
	}

	switch {
	case b.min != nil && number < *b.min && *b.min == 0:
		return fault(n, "%s%s is negative", keyed(path), n.Value)
	case b.min != nil && number < *b.min:
		return fault(n, "%s%s is less than %v", keyed(path), n.Value, *b.min)
	case b.max != nil && number > *b.max:
		return fault(n, "%s%s is more than %v", keyed(path), n.Value, *b.max)
	}

	return nil
}

func (b bounds) describe(schema map[string]any) {
	if b.min != nil {
		schema["minimum"] = *b.min
	}

	if b.max != nil {
		schema["maximum"] = *b.max
	}
}

// fieldSet is the set of keys that a struct accepts: named fields, and rest for any other key if the struct has an inlined map.
type fieldSet struct {
	names  []string
	fields map[string]field
	rest   reflect.Type
}

// fields follows the rules of the YAML library: a key is the tag, or else the field's name in lower case. The name of the tag is
// yaml, or json for a type that only has a schema here.
func fields(t reflect.Type, tag string) fieldSet {
	set := fieldSet{fields: make(map[string]field, t.NumField())}

	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get(tag), ",")
		if name == "-" || (!f.IsExported() && !f.Anonymous) {
			continue
		}

		if strings.Contains(options, "inline") {
			set.inline(f.Type, tag)

			continue
		}

		if name == "" {
			name = strings.ToLower(f.Name)
		}

		set.names = append(set.names, name)
		set.fields[name] = newField(f)
	}

	return set
}

func (s *fieldSet) inline(t reflect.Type, tag string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}

	if t.Kind() == reflect.Map {
		s.rest = t.Elem()

		return
	}

	inner := fields(t, tag)
	s.names = append(s.names, inner.names...)

	maps.Copy(s.fields, inner.fields)

	if inner.rest != nil {
		s.rest = inner.rest
	}
}
