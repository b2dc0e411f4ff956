package llmtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// strictly decodes JSON. It rejects unknown fields, wrong types and trailing data.
func strictly(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the object")
	}
	return nil
}

// lowerCase returns an error if a field name contains capitals. The decoder would accept it, but no service does. Names below
// the fields listed in free are not checked.
func lowerCase(raw []byte, free ...string) error {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return err
	}
	return lowerCaseIn(value, free)
}

func lowerCaseIn(value any, free []string) error {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			if name != strings.ToLower(name) {
				return fmt.Errorf("unknown field %q", name)
			}
			if slices.Contains(free, name) {
				continue
			}
			if err := lowerCaseIn(inner, free); err != nil {
				return err
			}
		}
	case []any:
		for _, inner := range value {
			if err := lowerCaseIn(inner, free); err != nil {
				return err
			}
		}
	}
	return nil
}

// first returns the first error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// want returns an error unless ok is true.
func want(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

var (
	shortName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	longName  = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	anyName   = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
)

// soundSchemas caches the schemas that checkSchema accepted. Requests repeat the same schemas, and compiling them takes longer than
// all other checks.
var soundSchemas sync.Map

// checkSchema returns an error unless raw is a JSON schema of type object.
func checkSchema(raw json.RawMessage) error {
	if _, ok := soundSchemas.Load(string(raw)); ok {
		return nil
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	object, ok := schema.(map[string]any)
	if !ok || object["type"] != "object" {
		return errors.New(`schema: type must be "object"`)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("urn:tool", schema); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	if _, err := compiler.Compile("urn:tool"); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	soundSchemas.Store(string(raw), nil)
	return nil
}

// checkTools returns an error unless the tools have sound schemas and different names that match a pattern.
func checkTools(tools []tool, pattern *regexp.Regexp) error {
	seen := map[string]bool{}
	for i, t := range tools {
		err := first(
			want(pattern.MatchString(t.name), "name: %q does not match the pattern %s", t.name, pattern),
			want(!seen[t.name], "name: %q is there twice", t.name),
			checkSchema(t.schema), checkItems(t.schema),
		)
		if err != nil {
			return fmt.Errorf("tools[%d]: %w", i, err)
		}
		seen[t.name] = true
	}
	return nil
}

// checkItems returns an error if an array in a schema has no items.
func checkItems(raw json.RawMessage) error {
	var schema any
	if err := json.Unmarshal(raw, &schema); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	return want(!bareList(schema), "schema: array schema missing items")
}

func bareList(schema any) bool {
	switch s := schema.(type) {
	case []any:
		return slices.ContainsFunc(s, bareList)
	case map[string]any:
		if s["type"] == "array" && s["items"] == nil {
			return true
		}
		return slices.ContainsFunc(slices.Collect(maps.Values(s)), bareList)
	default:
		return false
	}
}

// isObject reports whether raw is a JSON object.
func isObject(raw []byte) bool {
	var object map[string]any
	return json.Unmarshal(raw, &object) == nil && object != nil
}

// textOf returns the text of a part, which may be missing.
func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// within returns an error if n is set and not between low and high.
func within(name string, n *float64, low, high float64) error {
	return want(n == nil || *n >= low && *n <= high, "%s: must be between %v and %v", name, low, high)
}

// encode encodes v as JSON. It panics if v cannot be encoded.
func encode(v any) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(out.String(), "\n")
}
