// Package schema lists every kind of file that a home holds, and its JSON schema. The schemas are generated from the types
// into which the strict reader decodes these files, and published in docs/schemas. Their descriptions come from the tables in
// docs/.
package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/idelchi/aura/docs/schemas"
	"github.com/idelchi/aura/internal/agent/llm/script"
	"github.com/idelchi/aura/internal/base/strictyaml"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/plugin/testfile"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/supply/index"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/internal/system/machinepolicy"
)

// Dir is the directory below a home that contains the schemas of the home's YAML files. aura itself does not read it.
const Dir = "schemas"

// Kind is a kind of file.
type Kind struct {
	config.FileType

	// Files is a pattern for the paths of such files below a home.
	Files string
	// Variables reports whether references to variables in values are replaced.
	Variables bool
	// JSON files are written by aura, not by users, and the index is in no home.
	JSON bool
	// Machine files belong to a machine and are in no home.
	Machine bool
}

// Kinds returns all kinds, sorted by name.
func Kinds() []Kind {
	kinds := []Kind{
		{FileType: config.FileType{Name: "index", One: "index", Type: index.FileType()}, Files: "an index of plugins", JSON: true},
		{FileType: config.FileType{Name: "lock", One: "lock", Type: install.LockType()}, Files: install.LockFile, JSON: true},
		{FileType: config.FileType{Name: "plugin", One: "plugin", Folder: "plugins", Type: manifest.FileType()}, Files: "plugins/**/" + manifest.FileName},
		{FileType: config.FileType{Name: "policy", One: "policy", Type: machinepolicy.FileType()}, Files: "a policy of a machine", Machine: true},
		{FileType: config.FileType{Name: "script", One: "script", Folder: "config", Type: script.FileType()}, Files: "the file of a provider of type script"},
		{FileType: config.FileType{Name: "test", One: "test", Folder: "plugins", Type: testfile.FileType()}, Files: "plugins/**/testdata/*.yaml"},
	}
	for _, t := range config.FileTypes() {
		ext := "yaml"
		if t.Markdown {
			ext = "md"
		}
		kinds = append(kinds, Kind{FileType: t, Files: path.Join(t.Folder, "**", "*."+ext), Variables: true})
	}
	slices.SortFunc(kinds, func(a, b Kind) int { return strings.Compare(a.Name, b.Name) })
	return kinds
}

// FileName returns the file name of the schema.
func (k Kind) FileName() string { return k.Name + ".schema.json" }

// Text returns the published schema.
func (k Kind) Text() ([]byte, error) {
	text, err := schemas.Files.ReadFile(k.FileName())
	if err != nil {
		return nil, fmt.Errorf("reading the schema of %s: %w", k.Name, err)
	}
	return text, nil
}

// Generate generates the schema from the reader's types. about returns the description of the value at a dotted path of keys.
func (k Kind) Generate(about func(path string) string) ([]byte, error) {
	described, err := strictyaml.Schema(k.Type, strictyaml.SchemaOptions{Variables: k.Variables, JSON: k.JSON, About: about, Omit: k.Omit, Defaults: k.Defaults})
	if err != nil {
		return nil, fmt.Errorf("generating the schema of %s: %w", k.Name, err)
	}
	described["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	described["title"] = k.title()
	if k.OneKey {
		described["maxProperties"] = 1
	}
	if k.Type.Kind() == reflect.Map {
		described["propertyNames"] = map[string]any{"minLength": 1}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(described); err != nil {
		return nil, fmt.Errorf("generating the schema of %s: %w", k.Name, err)
	}
	return out.Bytes(), nil
}

func (k Kind) title() string {
	if k.Markdown {
		return "aura: frontmatter of " + k.Files
	}
	return "aura: " + k.Files
}
