package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Schema is a compiled JSON schema. It is safe for concurrent use.
type Schema struct {
	root *node
}

// ArgumentsError lists all problems with the arguments of a call.
type ArgumentsError struct {
	// Problems is sorted. Each element is a clause such as `missing required field "path"`.
	Problems []string
}

func (e *ArgumentsError) Error() string {
	return "invalid arguments: " + strings.Join(e.Problems, "; ")
}

// Compile compiles the schema of a tool's arguments. An empty schema allows only an empty object. Schemas come from plugins and
// third-party servers, so Compile accepts any draft and ignores unknown keywords. It rejects a schema that is invalid, refers
// to something outside itself, or is too large.
func Compile(schema json.RawMessage) (*Schema, error) {
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object","additionalProperties":false}`)
	}
	root, err := compile(schema)
	if err != nil {
		return nil, fmt.Errorf("compiling schema: %w", err)
	}
	return &Schema{root: root}, nil
}

// errEndless is the error of a check that exceeded its limits.
var errEndless = errors.New("the schema leads to more checks than are made for one call")

// Validate returns an *ArgumentsError if the arguments do not match the schema.
func (s *Schema) Validate(args map[string]any) error {
	if args == nil {
		args = map[string]any{}
	}
	found, err := s.problems(args)
	if err != nil {
		return fmt.Errorf("checking arguments: %w", err)
	}
	if len(found) == 0 {
		return nil
	}
	return &ArgumentsError{Problems: found}
}

// ValidateValue is Validate for any decoded JSON value.
func (s *Schema) ValidateValue(value any) error {
	found, err := s.problems(value)
	if err != nil {
		return fmt.Errorf("checking a value: %w", err)
	}
	if len(found) == 0 {
		return nil
	}
	return errors.New(strings.Join(found, "; "))
}

func (s *Schema) problems(value any) ([]string, error) {
	var r review
	found := r.check(s.root, value, "")
	if r.exhausted {
		return nil, errEndless
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}
