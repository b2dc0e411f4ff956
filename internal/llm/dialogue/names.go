package dialogue

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/idelchi/aura/internal/llm"
)

// Name returns the name by which a service of limited names knows a tool: its own, if that is allowed.
func Name(name string, longest int) string {
	if name == "" {
		return "unnamed"
	}
	return clean(name, longest)
}

// clean replaces what is not allowed in a name. A changed one ends in a hash of the whole, so that two stay two.
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

// Names leads from the names of tools as a service knows them to their own.
type Names map[string]string

// Tools returns tools as a service of limited names is offered them. Of several with one name the first is kept.
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

// Schema returns a schema of an object, without those of its keys that are named. One that is no JSON object is replaced by
// that of an object without properties.
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

// Own returns a tool's own name. A name that was never offered is returned as it is.
func (n Names) Own(sent string) string {
	if own, ok := n[sent]; ok {
		return own
	}
	return sent
}

// Object returns arguments as a JSON object, which is what services take. Arguments that are none stand inside one, so that
// the model sees what it wrote.
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
