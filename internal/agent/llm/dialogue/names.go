package dialogue

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
)

// Name returns a name for a tool that the service accepts. It is the tool's own name if possible.
func Name(name string, longest int) string {
	if name == "" {
		return "unnamed"
	}
	return clean(name, longest)
}

// clean replaces the characters that are not allowed in a name. A changed name ends in a hash of the original, so that
// different names stay different.
func clean(name string, longest int) string {
	cleaned := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	if cleaned == name && len(name) <= longest {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	hash := "_" + hex.EncodeToString(sum[:4])
	return cleaned[:min(len(cleaned), longest-len(hash))] + hash
}

// Names maps the names of tools that were sent to a service to the tools' own names.
type Names map[string]string

// Tools returns the tools with names and schemas that the service accepts. If several tools have the same name, only the first
// is kept.
func Tools(tools []llm.ToolDefinition, longest int) ([]llm.ToolDefinition, Names) {
	names := make(Names, len(tools))
	out := make([]llm.ToolDefinition, 0, len(tools))
	for _, tool := range tools {
		own := tool.Name
		tool.Name = Name(own, longest)
		if _, taken := names[tool.Name]; taken {
			continue
		}
		names[tool.Name] = own
		tool.Parameters = Itemized(Schema(tool.Parameters))
		out = append(out, tool)
	}
	return out, names
}

// Schema returns a schema of type object, without the given top-level keys. If schema is not a JSON object, the result is an
// object without properties.
func Schema(schema json.RawMessage, without ...string) json.RawMessage {
	var keys map[string]json.RawMessage
	if json.Unmarshal(schema, &keys) != nil || keys == nil {
		keys = map[string]json.RawMessage{}
	}
	before := len(keys)
	for _, key := range without {
		delete(keys, key)
	}
	changed := len(keys) != before
	for key, value := range map[string]string{"type": `"object"`, "properties": `{}`} {
		if keys[key] == nil {
			keys[key], changed = json.RawMessage(value), true
		}
	}
	if !changed {
		return schema
	}
	out, err := json.Marshal(keys)
	if err != nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return out
}

// Own returns a tool's own name. A name that was not offered is returned unchanged.
func (n Names) Own(sent string) string {
	if own, ok := n[sent]; ok {
		return own
	}
	return sent
}

// Object returns the arguments as a JSON object, which services require. Other arguments are wrapped in an object, so that the
// model sees what it wrote.
func Object(arguments json.RawMessage) json.RawMessage {
	text := bytes.TrimSpace(arguments)
	if len(text) == 0 || string(text) == "null" || string(text) == `""` {
		return json.RawMessage("{}")
	}
	if text[0] == '{' && json.Valid(text) {
		return text
	}
	wrapped, err := json.Marshal(map[string]string{"malformed_arguments": string(arguments)})
	if err != nil {
		return json.RawMessage("{}")
	}
	return wrapped
}
