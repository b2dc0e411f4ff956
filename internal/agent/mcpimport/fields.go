package mcpimport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// ignored holds fields that do not affect how a server is reached.
var ignored = []string{"description", "name", "gallery", "version", "dev", "source"}

func parseFields(raw json.RawMessage) (fields, error) {
	var f fields
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil || all == nil {
		return f, errors.New("it is not an object")
	}
	enabled := true
	var line []string
	targets := map[string]any{
		"type": &f.kind, "transport": &f.kind, "command": &f.command, "args": &f.args, "env": &f.env, "environment": &f.env, "headers": &f.headers, "http_headers": &f.headers,
		"url": &f.url, "httpUrl": &f.url, "serverUrl": &f.url, "disabled": &f.off, "enabled": &enabled,
		"bearer_token_env_var": &f.bearer, "env_http_headers": &f.fromEnv,
	}
	if bytes.HasPrefix(bytes.TrimSpace(all["command"]), []byte("[")) {
		targets["command"] = &line // OpenCode has the arguments in it
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		target, known := targets[name]
		switch {
		case slices.Contains(ignored, name) || string(all[name]) == "null":
			continue
		case !known:
			f.rest = append(f.rest, name)
			continue
		}
		if err := decode(all[name], target); err != nil {
			return f, fmt.Errorf("its field %q %w", name, err)
		}
	}
	f.off = f.off || !enabled
	if len(line) > 0 {
		f.command, f.args = line[0], append(line[1:], f.args...)
	}
	f.takeHeaders()
	return f, nil
}

// takeHeaders adds the headers whose values Codex takes from variables.
func (f *fields) takeHeaders() {
	if f.bearer != "" {
		if f.headers == nil {
			f.headers = map[string]string{}
		}
		f.headers["Authorization"] = "Bearer ${" + f.bearer + "}"
	}
	for name, variable := range f.fromEnv {
		if f.headers == nil {
			f.headers = map[string]string{}
		}
		f.headers[name] = "${" + variable + "}"
	}
}

// decode unmarshals raw into a field. In a mapping of strings, it also accepts numbers and booleans, because env often contains
// them.
func decode(raw json.RawMessage, into any) error {
	values, ok := into.(*map[string]string)
	if !ok {
		if json.Unmarshal(raw, into) != nil {
			return errors.New("has the wrong type")
		}
		return nil
	}
	var loose map[string]json.RawMessage
	if json.Unmarshal(raw, &loose) != nil {
		return errors.New("is not an object of texts")
	}
	*values = map[string]string{}
	for name, value := range loose {
		var text string
		switch {
		case json.Unmarshal(value, &text) == nil && len(value) > 0 && value[0] == '"':
		case len(value) > 0 && (value[0] == '{' || value[0] == '['):
			return fmt.Errorf("has a value for %q that is no text", name)
		default:
			text = string(value)
		}
		(*values)[name] = text
	}
	return nil
}
