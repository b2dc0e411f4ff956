package strictyaml

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Described is implemented by a type that decodes itself from YAML. YAMLSchema describes in JSON Schema what the type accepts.
type Described interface{ YAMLSchema() map[string]any }

// Listed is implemented by a text type with a fixed list of values.
type Listed interface{ YAMLValues() []string }

var (
	describedType = reflect.TypeFor[Described]()
	listedType    = reflect.TypeFor[Listed]()
)

// DurationPattern matches the non-negative durations that Go parses, such as 90s or 1h30m.
const DurationPattern = `^\+?(0|(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`

// BoolPattern matches the words that the YAML library accepts as booleans if a boolean is expected. Other readers treat them as
// text.
const BoolPattern = `^(y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$`

// variablePattern matches a value that contains a reference to a variable; see SchemaOptions.Variables.
const variablePattern = `\$\{[A-Za-z_][A-Za-z0-9_]*\}`

// SchemaOptions configures what a schema contains in addition to the types.
type SchemaOptions struct {
	// Variables accepts ${NAME} instead of any scalar.
	Variables bool
	// JSON describes a JSON file that encoding/json reads: keys are the json tags of fields, and values are not converted.
	JSON bool
	// About returns the description of the value at a dotted path of keys, or the empty string. The items of a list have the path
	// of the list followed by []. The values of a mapping have the path of the mapping followed by .*.
	About func(path string) string
	// Omit reports whether the schema omits the key at a path. If Omit is nil, no key is omitted.
	Omit func(path string) bool
	// Defaults is a struct with the same field names as the type. Its values are the defaults. Zero or missing fields have no
	// default.
	Defaults any
}

// Schema describes in JSON Schema, draft 2020-12, what Decode accepts for a type. It uses the same fields as the check of Decode.
// It uses only keywords that mean the same in draft 7, because editors support that draft best.
func Schema(t reflect.Type, o SchemaOptions) (map[string]any, error) {
	if o.About == nil {
		o.About = func(string) string { return "" }
	}

	var defaults reflect.Value
	if o.Defaults != nil {
		defaults = reflect.ValueOf(o.Defaults)
	}

	return (&schemer{options: o}).value(t, "", defaults)
}

type schemer struct {
	options SchemaOptions
	depth   int
}

type object = map[string]any

const yamlTag = "yaml"

// tag returns the name of the tag that holds the keys of fields.
func (s *schemer) tag() string {
	if s.options.JSON {
		return "json"
	}

	return yamlTag
}

// value mirrors checker.value and checker.typed.
func (s *schemer) value(t reflect.Type, path string, defaults reflect.Value) (object, error) {
	s.depth++
	defer func() { s.depth-- }()

	if s.depth > maxDepth {
		return nil, fmt.Errorf("describing %s: the type %s contains itself", path, t)
	}

	for t.Kind() == reflect.Pointer {
		t, defaults = t.Elem(), reflect.Value{}
	}

	if pointer := reflect.PointerTo(t); pointer.Implements(placedType) {
		inner, _ := reflect.TypeAssert[placed](reflect.New(t))

		return s.value(inner.valueType(), path, reflect.Value{})
	}

	schema, err := s.typed(t, path, defaults)
	if err != nil {
		return nil, err
	}

	if about := s.options.About(path); about != "" {
		schema["description"] = about
	}

	return schema, nil
}

func (s *schemer) typed(t reflect.Type, path string, defaults reflect.Value) (object, error) {
	pointer := reflect.PointerTo(t)

	switch {
	case pointer.Implements(describedType):
		own, _ := reflect.TypeAssert[Described](reflect.New(t))

		return s.scalar(own.YAMLSchema(), defaults), nil
	case pointer.Implements(listedType):
		own, _ := reflect.TypeAssert[Listed](reflect.New(t))

		return s.scalar(object{"enum": anyList(own.YAMLValues())}, defaults), nil
	case pointer.Implements(unmarshalerType):
		return nil, fmt.Errorf("describing %s: the type %s reads itself, but does not describe itself", path, t)
	case t == durationType:
		return s.scalar(object{"type": "string", "pattern": DurationPattern}, defaults), nil
	case t == timeType:
		return s.scalar(object{"type": "string"}, defaults), nil
	case t == nodeType:
		return object{}, nil
	}

	switch t.Kind() {
	case reflect.Struct:
		return s.structure(t, path, defaults)
	case reflect.Map:
		return s.mapping(t, path)
	case reflect.Slice, reflect.Array:
		items, err := s.value(t.Elem(), path+"[]", reflect.Value{})

		return object{"type": []any{"array", "null"}, "items": items}, err
	case reflect.Interface:
		return object{}, nil
	case reflect.Bool:
		if s.options.JSON {
			return s.scalar(object{"type": "boolean"}, defaults), nil
		}

		return s.scalar(object{"type": []any{"boolean", "string"}, "pattern": BoolPattern}, defaults), nil
	default:
		return s.scalar(object{"type": scalarType(t.Kind())}, defaults), nil
	}
}

func (s *schemer) structure(t reflect.Type, path string, defaults reflect.Value) (object, error) {
	known := fields(t, s.tag())
	properties := object{}

	var required []any

	for _, name := range known.names {
		if s.options.Omit != nil && s.options.Omit(join(path, name)) {
			continue
		}

		field := known.fields[name]

		var inner reflect.Value
		if defaults.IsValid() && defaults.Kind() == reflect.Struct {
			inner = defaults.FieldByName(field.goName)
		}

		schema, err := s.value(field.Type, join(path, name), inner)
		if err != nil {
			return nil, err
		}

		field.bounds.describe(schema)

		properties[name] = schema

		if field.required {
			required = append(required, name)
		}
	}

	out := object{"type": []any{"object", "null"}, "properties": properties, "additionalProperties": false}
	if required != nil {
		out["type"], out["required"] = "object", required
	}

	if known.rest != nil {
		rest, err := s.value(known.rest, join(path, "*"), reflect.Value{})
		if err != nil {
			return nil, err
		}

		out["additionalProperties"] = rest
	}

	return out, nil
}

func (s *schemer) mapping(t reflect.Type, path string) (object, error) {
	out := object{"type": []any{"object", "null"}}

	switch t.Elem().Kind() {
	case reflect.Interface:
		return out, nil
	case reflect.String:
		// As in checker.mapping, scalars are used as text.
		out["additionalProperties"] = object{"type": []any{"string", "number", "boolean", "null"}}
		if s.options.JSON {
			out["additionalProperties"] = object{"type": []any{"string", "null"}}
		}

		return out, nil
	default:
	}

	values, err := s.value(t.Elem(), join(path, "*"), reflect.Value{})
	out["additionalProperties"] = values

	return out, err
}

// scalar adds values that the reader accepts in addition to the type's own: null, which means not set, and variables.
func (s *schemer) scalar(schema object, defaults reflect.Value) object {
	schema = maps.Clone(schema)

	if values, ok := schema["enum"].([]any); ok {
		schema["enum"] = append(slices.Clone(values), nil)

		if s.options.Variables {
			schema = object{"anyOf": []any{schema, object{"type": "string", "pattern": variablePattern}}}
		}
	} else {
		s.open(schema)
	}

	if defaults.IsValid() && !defaults.IsZero() {
		schema["default"] = plain(defaults)
	}

	return schema
}

func (s *schemer) open(schema object) {
	types, _ := schema["type"].([]any)
	if one, ok := schema["type"].(string); ok {
		types = []any{one}
	}

	pattern, limited := schema["pattern"].(string)

	switch text := slices.Contains(types, any("string")); {
	case !s.options.Variables || text && !limited:
	case text:
		schema["pattern"] = "(" + pattern + ")|" + variablePattern
	default:
		types = append(slices.Clone(types), "string")
		schema["pattern"] = variablePattern
	}

	schema["type"] = append(slices.Clone(types), "null")
}

// plain returns a default as it is written in a file.
func plain(v reflect.Value) any {
	if v.CanInterface() {
		switch d := v.Interface().(type) {
		case time.Duration:
			return shortDuration(d)
		case interface{ Duration() time.Duration }:
			return shortDuration(d.Duration())
		}
	}

	return v.Interface()
}

// shortDuration formats a duration without zero units: 2m instead of 2m0s, which the standard library writes.
func shortDuration(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = strings.TrimSuffix(text, zero[1:])
		}
	}

	return text
}

func scalarType(k reflect.Kind) string {
	switch k {
	case reflect.String:
		return "string"
	case reflect.Float32, reflect.Float64:
		return "number"
	default:
		return "integer"
	}
}

func anyList(values []string) []any {
	out := make([]any, len(values))
	for i, value := range values {
		out[i] = value
	}

	return out
}
