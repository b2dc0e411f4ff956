package tool

import (
	"encoding/json"
	"fmt"

	"github.com/idelchi/aura/sdk"
)

// property is a sdk.ToolProperty as JSON schema.
type property struct {
	Type        string `json:"type,omitempty"`
	Description string `json:"description,omitempty"`
	Enum        []any  `json:"enum,omitempty"`
}

// parameters is a sdk.ToolParameters as JSON schema.
type parameters struct {
	Type                 string              `json:"type"`
	Properties           map[string]property `json:"properties"`
	Required             []string            `json:"required,omitempty"`
	AdditionalProperties bool                `json:"additionalProperties"`
}

// FromJSON checks the JSON schema of the arguments of a tool. Like FromSDK, it reports a name or a schema that Register would reject.
func FromJSON(name string, schema []byte) (json.RawMessage, error) {
	if !usable().MatchString(name) {
		return nil, fmt.Errorf("reading the schema of tool %q: %s", name, usableNames)
	}
	var top struct {
		Type any `json:"type"`
	}
	if err := json.Unmarshal(schema, &top); err != nil {
		return nil, fmt.Errorf("reading the schema of tool %q: %w", name, err)
	}
	if top.Type != "object" {
		return nil, fmt.Errorf("reading the schema of tool %q: its parameters are of type %v; only object is possible", name, top.Type)
	}
	if _, err := compile(schema); err != nil {
		return nil, fmt.Errorf("reading the schema of tool %q: %w", name, err)
	}
	return schema, nil
}

// FromSDK returns the JSON schema of the arguments of a plugin's tool. Arguments that the schema does not name are not allowed.
// FromSDK reports a name or a type that Register would reject, so that the caller can skip that one tool.
func FromSDK(schema sdk.ToolSchema) (json.RawMessage, error) {
	if !usable().MatchString(schema.Name) {
		return nil, fmt.Errorf("reading the schema of tool %q: %s", schema.Name, usableNames)
	}
	in := schema.Parameters
	if in.Type != "" && in.Type != "object" {
		return nil, fmt.Errorf("reading the schema of tool %q: its parameters are of type %q; only object is possible", schema.Name, in.Type)
	}
	out := parameters{Type: "object", Properties: make(map[string]property, len(in.Properties)), Required: in.Required}
	for name, p := range in.Properties {
		out.Properties[name] = property{Type: p.Type, Description: p.Description, Enum: p.Enum}
	}
	for _, name := range in.Required {
		if _, ok := in.Properties[name]; !ok {
			return nil, fmt.Errorf("reading the schema of tool %q: parameter %q is required but not among the properties", schema.Name, name)
		}
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("reading the schema of tool %q: %w", schema.Name, err)
	}
	if _, err := compile(raw); err != nil {
		return nil, fmt.Errorf("reading the schema of tool %q: %w", schema.Name, err)
	}
	return raw, nil
}
