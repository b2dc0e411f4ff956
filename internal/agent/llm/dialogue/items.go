package dialogue

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Itemized returns a schema in which every array has "items", because services reject arrays without it. Added "items" allow
// any value.
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

// values holds the keywords of a schema that contain plain values, not schemas.
var values = []string{"enum", "const", "default", "examples"}

// itemize adds the missing "items" in place and reports whether it changed the schema.
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
