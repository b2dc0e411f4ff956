package agentimport

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/agent/mcpimport"
	"github.com/idelchi/aura/internal/base/strictyaml"
)

// object is a JSON object, or a TOML table.
type object = map[string]any

// document decodes a file by its extension: TOML, or JSON with comments.
func (in *input) document() (object, error) {
	var out object
	if path.Ext(in.file) == ".toml" {
		if err := toml.Unmarshal(in.text, &out); err != nil {
			return nil, fmt.Errorf("reading it as TOML: %w", err)
		}
		return out, nil
	}
	if err := json.Unmarshal(mcpimport.Standard(in.text), &out); err != nil {
		return nil, fmt.Errorf("reading it as JSON: %w", err)
	}
	return out, nil
}

// at returns the value of a key with dots; nil if there is none.
func at(o object, key string) any {
	var value any = o
	for part := range strings.SplitSeq(key, ".") {
		below, ok := value.(object)
		if !ok {
			return nil
		}
		value = below[part]
	}
	return value
}

// section returns the object at a key; nil if there is none.
func section(o object, key string) (object, error) {
	switch value := at(o, key).(type) {
	case nil:
		return nil, nil
	case object:
		return value, nil
	default:
		return nil, fmt.Errorf("its key %q is not an object", key)
	}
}

func text(value any) string {
	s, _ := value.(string)
	return s
}

// texts returns a list of texts. A single text is a list of one.
func texts(value any) []string {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	var out []string
	for _, v := range list {
		if s, ok := v.(string); ok && strings.TrimSpace(s) != "" {
			out = append(out, strings.TrimSpace(s))
		}
	}
	return out
}

// names returns a list of names, which front matter often has as one text with commas.
func names(value any) []string {
	var out []string
	for _, t := range texts(value) {
		depth := 0
		for part := range strings.FieldsFuncSeq(t, func(r rune) bool {
			switch r {
			case '(':
				depth++
			case ')':
				depth--
			}
			return r == ',' && depth <= 0
		}) {
			if part = strings.TrimSpace(part); part != "" {
				out = append(out, part)
			}
		}
	}
	return out
}

// rest notes the keys of an object that are not known.
func (i *Item) rest(o object, known ...string) {
	i.without("key", slices.DeleteFunc(sortedKeys(o), func(key string) bool { return slices.Contains(known, key) }))
}

// without notes what is left out because aura has nothing like it.
func (i *Item) without(what string, names []string) {
	switch len(names) {
	case 0:
	case 1:
		i.addNote("the %s %q is left out: aura has nothing like it", what, names[0])
	default:
		i.addNote("the %ss %q are left out: aura has nothing like them", what, names)
	}
}

var unusable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9_.:-]+`) })

// validName returns a name that aura accepts for files, commands and agents; empty if no character is left.
func validName(name string) string {
	return strings.Trim(unusable().ReplaceAllString(name, "-"), "-_.:")
}

// fileName returns the name of a file for a name. Windows does not accept a colon.
func fileName(name string) string { return strings.ReplaceAll(name, ":", "-") }

// literal writes ${ so that aura's files do not expand it.
func (in *input) literal(text string) string {
	if in.plugin != "" {
		return text // nothing is expanded in a plugin
	}
	return strings.ReplaceAll(text, "${", "$${")
}

// encode returns YAML.
func encode(value any) ([]byte, error) {
	var out strings.Builder
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(value), enc.Close()); err != nil {
		return nil, fmt.Errorf("writing it as YAML: %w", err)
	}
	return []byte(out.String()), nil
}

// markdown returns a file with front matter.
func markdown(front any, body string) ([]byte, error) {
	head, err := encode(front)
	if err != nil {
		return nil, err
	}
	return []byte("---\n" + string(head) + "---\n" + strings.TrimSpace(body) + "\n"), nil
}

// frontKeys are the keys that are looked for in front matter that is no YAML.
var frontKeys = []string{"name", "description", "tools", "disallowedTools", "model", "color", "allowed-tools", "argument-hint", "agent", "mode"}

// frontmatter splits a Markdown file. Front matter that is no YAML is read line by line, because other agents accept it.
func (in *input) frontmatter() (object, string) {
	var root yaml.Node
	front := object{}
	body, err := strictyaml.Frontmatter(in.file, in.text, &root)
	if err == nil && (root.Kind == 0 || root.Decode(&front) == nil) {
		return front, body
	}
	head, rest, found := strings.Cut(strings.TrimPrefix(string(in.text), "---"), "\n---")
	if !found {
		return object{}, string(in.text)
	}
	front = object{}
	for line := range strings.SplitSeq(head, "\n") {
		key, value, ok := strings.Cut(line, ":")
		if !ok || !slices.Contains(frontKeys, key) {
			continue // a text goes on
		}
		var list []any
		if strings.Contains(strings.ToLower(key), "tools") && yaml.Unmarshal([]byte(value), &list) == nil && list != nil {
			front[key] = list
		} else {
			front[key] = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	_, rest, _ = strings.Cut(rest, "\n")
	return front, rest
}

// rooted replaces the placeholders of another agent for the directory of a plugin with those of aura.
func (in *input) rooted(text string) string {
	if in.plugin == "" {
		return text
	}
	return strings.NewReplacer("${CLAUDE_PLUGIN_ROOT}", "${PLUGIN_ROOT}", "$CLAUDE_PLUGIN_ROOT", "$PLUGIN_ROOT", "${CLAUDE_PLUGIN_DATA}", "${PLUGIN_DATA}").Replace(text)
}
