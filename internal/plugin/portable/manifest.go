package portable

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The schemas of the supported version.
const (
	PluginSchema = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
	MCPSchema    = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"
)

// maxName is the largest length of a name, in characters.
const maxName = 64

// Manifest is the content of plugin.json.
type Manifest struct {
	Name        string
	Version     string
	Description string
	Homepage    string
	Repository  string
	License     string
	Author      Author
	Keywords    []string
	// LeftOut lists what a converted plugin had that aura has nothing like.
	LeftOut []string

	protocol string
}

// Author is who wrote a plugin.
type Author struct{ Name, Email, URL string }

// parseManifest reads a plugin.json. The notes are faults that the specification ignores.
func parseManifest(text []byte) (Manifest, []string, error) {
	top, err := object(text)
	if err != nil {
		return Manifest{}, nil, err
	}
	if err := checkSchema(top, PluginSchema); err != nil {
		return Manifest{}, nil, err
	}
	var m Manifest
	var notes []string
	for _, key := range slices.Sorted(maps.Keys(top)) {
		known, err := m.set(key, top[key])
		switch {
		case err != nil:
			return Manifest{}, nil, fmt.Errorf("key %q: %w", key, err)
		case key == "extensions":
			if _, ok := top[key].(map[string]any); !ok {
				notes = append(notes, `key "extensions" is ignored: it is not an object`)
			}
			ours := extension(top[key])
			m.protocol, m.LeftOut = ours.protocol, ours.leftOut
		case !known:
			notes = append(notes, fmt.Sprintf("unknown key %q is ignored", key))
		}
	}
	if _, ok := top["name"]; !ok {
		return Manifest{}, nil, errors.New(`key "name": missing`)
	}
	return m, notes, nil
}

// set stores the value of a top-level key. It reports whether the key is known.
func (m *Manifest) set(key string, value any) (known bool, err error) {
	texts := map[string]*string{
		"name": &m.Name, "version": &m.Version, "description": &m.Description, "homepage": &m.Homepage, "repository": &m.Repository, "license": &m.License,
	}
	switch into := texts[key]; {
	case into != nil:
		if *into, err = text(value); err == nil && key == "name" {
			err = checkName(m.Name)
		}
	case key == "keywords":
		m.Keywords, err = list(value)
	case key == "author":
		err = m.Author.set(value)
	default:
		return key == "$schema" || key == "extensions", nil
	}
	return true, err
}

func (a *Author) set(value any) error {
	fields, ok := value.(map[string]any)
	if !ok {
		return errors.New("it is not an object")
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		into, ok := map[string]*string{"name": &a.Name, "email": &a.Email, "url": &a.URL}[key]
		if !ok {
			return fmt.Errorf("unknown key %q; known keys: name, email, url", key)
		}
		var err error
		if *into, err = text(fields[key]); err != nil {
			return fmt.Errorf("key %q: %w", key, err)
		}
	}
	return nil
}

var validName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`) })

func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("it is empty")
	case len(name) > maxName:
		return fmt.Errorf("it has %d characters; at most %d are allowed", len([]rune(name)), maxName)
	case !validName().MatchString(name):
		return fmt.Errorf("%q is not a name: use a-z, 0-9, hyphens and periods, and begin and end with a letter or digit", name)
	case strings.Contains(name, "--"), strings.Contains(name, ".."):
		return fmt.Errorf("%q contains two hyphens or two periods in a row", name)
	}
	return nil
}

var notInName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^a-z0-9.]+|\.{2,}`) })

// ValidName returns the name of a plugin as Agent Plugins allows it. It is empty if no character is left.
func ValidName(name string) string {
	name = strings.Trim(notInName().ReplaceAllString(strings.ToLower(name), "-"), "-.")
	return strings.TrimRight(name[:min(len(name), maxName)], "-.")
}

// checkSchema checks the key $schema, which names the version of the specification.
func checkSchema(top map[string]any, want string) error {
	value, ok := top["$schema"]
	if !ok {
		return fmt.Errorf(`key "$schema": missing; this aura supports %s`, want)
	}
	name, err := text(value)
	if err != nil {
		return fmt.Errorf(`key "$schema": %w`, err)
	}
	if name != want {
		return fmt.Errorf(`key "$schema": %q is not a version that this aura supports; it supports %s`, name, want)
	}
	return nil
}

// object decodes a JSON object. Its keys are compared exactly.
func object(data []byte) (map[string]any, error) {
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return nil, fmt.Errorf("it is not valid JSON: %w", err)
	}
	out, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("it is not a JSON object")
	}
	return out, nil
}

func text(value any) (string, error) {
	out, ok := value.(string)
	if !ok {
		return "", errors.New("it is not a string")
	}
	return out, nil
}

func list(value any) ([]string, error) {
	items, ok := value.([]any)
	if !ok {
		return nil, errors.New("it is not an array of strings")
	}
	out := make([]string, 0, len(items))
	for _, item := range items {
		s, ok := item.(string)
		if !ok {
			return nil, errors.New("it is not an array of strings")
		}
		out = append(out, s)
	}
	return out, nil
}

func texts(value any) (map[string]string, error) {
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("it is not an object of strings")
	}
	out := map[string]string{}
	for key, item := range fields {
		s, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("key %q: it is not a string", key)
		}
		out[key] = s
	}
	return out, nil
}
