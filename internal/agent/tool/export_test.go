package tool

import "encoding/json"

// Validate compiles a schema and checks arguments against it once.
func Validate(schema json.RawMessage, args map[string]any) error {
	s, err := Compile(schema)
	if err != nil {
		return err
	}
	return s.Validate(args)
}
