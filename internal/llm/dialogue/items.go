package dialogue

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Itemized returns a schema in which every list says what it is made of: services reject one that does not. Where the schema
// leaves it open, anything may be an item.
func Itemized(schema json.RawMessage) json.RawMessage {
	if !bytes.Contains(schema, []byte(`"array"`)) {
		return schema
	}
	decoder := json.NewDecoder(bytes.NewReader(schema))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil || !itemize(value) {
		return schema
	}
	out, err := json.Marshal(value)
	if err != nil {
		return schema
	}
	return out
}

// values are the keys of a schema under which there are values of its own, not schemas.
var values = []string{"enum", "const", "default", "examples"}

// itemize completes a schema in place and reports whether it had to.
func itemize(schema any) (changed bool) {
	switch s := schema.(type) {
	case []any:
		for _, part := range s {
			changed = itemize(part) || changed
		}
	case map[string]any:
		if isArray(s["type"]) && s["items"] == nil && s["prefixItems"] == nil {
			s["items"], changed = map[string]any{}, true
		}
		for key, part := range s {
			if !slices.Contains(values, key) {
				changed = itemize(part) || changed
			}
		}
	}
	return changed
}

func isArray(kind any) bool {
	kinds, ok := kind.([]any)
	return kind == "array" || ok && slices.Contains(kinds, any("array"))
}
