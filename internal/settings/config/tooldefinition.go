package config

import (
	"errors"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/condition"
)

// ToolDefinition changes how a tool is offered: tools/**/*.yaml, a map from names of tools to definitions.
type ToolDefinition struct {
	// Name is the name of the tool.
	Name   string `yaml:"-"`
	Source Source `yaml:"-"`

	// Description, Usage and Examples replace the tool's own texts if they are not empty.
	Description string `yaml:"description"`
	Usage       string `yaml:"usage"`
	Examples    Text   `yaml:"examples"`
	// Parallel decides whether calls may run in parallel. Nil leaves it to the tool.
	Parallel *bool `yaml:"parallel"`
	// Disabled hides the tool from every agent.
	Disabled bool `yaml:"disabled"`
	// Override allows a plugin's tool to replace a built-in tool of the same name.
	Override bool `yaml:"override"`
	// Condition decides when the tool is offered. The zero value means always.
	Condition condition.Expr `yaml:"-"`
}

// toolFile is a tool definition as written in a file.
type toolFile struct {
	ToolDefinition `yaml:",inline"`

	Condition string `yaml:"condition"`
}

// Text is a text that may be written as a list of lines.
type Text string

// UnmarshalYAML implements yaml.Unmarshaler.
func (t *Text) UnmarshalYAML(n *yaml.Node) error {
	var lines Names
	if err := lines.UnmarshalYAML(n); err != nil {
		return errors.New("expected text, or a list of texts")
	}
	*t = Text(strings.Join(lines, "\n"))
	return nil
}

func (l *loader) toolDefinitions() (map[string]ToolDefinition, error) {
	return loadKind(l, kind[ToolDefinition]{name: toolKind, folder: "config/tools", ext: yamlFiles, read: readMap(l, finishTool)})
}

func finishTool(d document, name string, f toolFile) (ToolDefinition, error) {
	t := f.ToolDefinition
	t.Name, t.Source = name, d.Source
	var err error
	t.Condition, err = d.condition([]string{name, "condition"}, f.Condition)
	return t, err
}

// condition parses the condition at a path of keys.
func (d document) condition(path []string, text string) (condition.Expr, error) {
	expr, err := condition.Parse(text)
	if err != nil {
		return condition.Expr{}, d.fault(path, "%w", err)
	}
	return expr, nil
}
