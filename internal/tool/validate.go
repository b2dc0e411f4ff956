package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Schema is a compiled JSON schema. It may be used from several goroutines.
type Schema struct {
	compiled *jsonschema.Schema
}

// ArgumentsError lists everything that is wrong with the arguments of a call.
type ArgumentsError struct {
	// Problems are sorted and each one is a clause such as `missing required field "path"`.
	Problems []string
}

func (e *ArgumentsError) Error() string {
	return "invalid arguments: " + strings.Join(e.Problems, "; ")
}

// closed keeps a schema from loading another one from the disk or the network.
type closed struct{}

func (closed) Load(url string) (any, error) {
	return nil, fmt.Errorf("loading %s: a tool's schema must be complete in itself", url)
}

// Compile prepares the schema of a tool's arguments. No schema at all allows an empty object.
func Compile(schema json.RawMessage) (*Schema, error) {
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object","additionalProperties":false}`)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, fmt.Errorf("compiling schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(closed{})
	const location = "tool:arguments"
	if err := c.AddResource(location, doc); err != nil {
		return nil, fmt.Errorf("compiling schema: %w", err)
	}
	compiled, err := c.Compile(location)
	if err != nil {
		return nil, fmt.Errorf("compiling schema: %w", err)
	}
	return &Schema{compiled: compiled}, nil
}

// Validate compiles a schema and checks arguments against it once.
func Validate(schema json.RawMessage, args map[string]any) error {
	s, err := Compile(schema)
	if err != nil {
		return err
	}
	return s.Validate(args)
}

// Validate returns an *ArgumentsError if the arguments do not fit.
func (s *Schema) Validate(args map[string]any) error {
	if args == nil {
		args = map[string]any{}
	}
	err := s.compiled.Validate(args)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return fmt.Errorf("checking arguments: %w", err)
	}
	found := problems(invalid)
	slices.Sort(found)
	return &ArgumentsError{Problems: slices.Compact(found)}
}

// problems walks to the leaves of an error, which name what is wrong.
func problems(e *jsonschema.ValidationError) []string {
	if len(e.Causes) == 0 {
		return describe(e)
	}
	var out []string
	for _, cause := range e.Causes {
		out = append(out, problems(cause)...)
	}
	return out
}

func describe(e *jsonschema.ValidationError) []string {
	at := strings.Join(e.InstanceLocation, ".")
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		return each("missing required field %q", at, k.Missing)
	case *kind.AdditionalProperties:
		return each("unknown field %q", at, k.Properties)
	case *kind.Type:
		return []string{fmt.Sprintf("%s must be %s, not %s", field(at), strings.Join(k.Want, " or "), k.Got)}
	case *kind.Enum:
		return []string{fmt.Sprintf("%s must be one of %s", field(at), list(k.Want))}
	default:
		return []string{field(at) + ": " + words(e)}
	}
}

// words returns the library's own words for an error.
func words(e *jsonschema.ValidationError) string {
	if out := e.BasicOutput(); out.Error != nil {
		return out.Error.String()
	}
	return "does not fit the schema"
}

func list(values []any) string {
	out := make([]string, 0, len(values))
	for _, v := range values {
		out = append(out, fmt.Sprintf("%#v", v))
	}
	return strings.Join(out, ", ")
}

func each(format, at string, names []string) []string {
	out := make([]string, 0, len(names))
	for _, name := range names {
		if at != "" {
			name = at + "." + name
		}
		out = append(out, fmt.Sprintf(format, name))
	}
	return out
}

func field(at string) string {
	if at == "" {
		return "the arguments"
	}
	return fmt.Sprintf("field %q", at)
}
