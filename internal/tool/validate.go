package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Schema is a compiled JSON schema. It may be used from several goroutines.
type Schema struct {
	root *node
}

// ArgumentsError lists everything that is wrong with the arguments of a call.
type ArgumentsError struct {
	// Problems are sorted and each one is a clause such as `missing required field "path"`.
	Problems []string
}

func (e *ArgumentsError) Error() string {
	return "invalid arguments: " + strings.Join(e.Problems, "; ")
}

// Compile prepares the schema of a tool's arguments. No schema at all allows an empty object. Schemas come from plugins and
// from servers that nobody here has written, so any draft is taken, what is not known is passed over, and one that is broken,
// refers to something outside of itself or is too large is an error.
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

// errEndless is a check that was given up.
var errEndless = errors.New("the schema leads to more checks than are made for one call")

// Validate returns an *ArgumentsError if the arguments do not fit.
func (s *Schema) Validate(args map[string]any) error {
	if args == nil {
		args = map[string]any{}
	}
	var r review
	found := r.check(s.root, args, "")
	if r.exhausted {
		return fmt.Errorf("checking arguments: %w", errEndless)
	}
	if len(found) == 0 {
		return nil
	}
	slices.Sort(found)
	return &ArgumentsError{Problems: slices.Compact(found)}
}
