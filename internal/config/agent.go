package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/strict"
)

// Agent is a model with a prompt and a choice of tools: agents/**/*.md, one per file.
type Agent struct {
	Source Source `yaml:"-"`
	// Prompt is the body of the file: the system prompt.
	Prompt string `yaml:"-"`

	Name        string `yaml:"name"`
	Description string `yaml:"description"`
	// Inherit names agents whose settings this one starts from, the last one winning.
	Inherit []string `yaml:"inherit"`
	// Default marks the agent that is used when none is named.
	Default bool `yaml:"default"`
	// Hide keeps the agent out of lists.
	Hide bool `yaml:"hide"`
	// Subagent lets other agents hand work to this one.
	Subagent bool       `yaml:"subagent"`
	Model    AgentModel `yaml:"model"`
	// System names a prompt that is used in place of the body.
	System string     `yaml:"system"`
	Mode   string     `yaml:"mode"`
	Tools  ToolFilter `yaml:"tools"`
	Hooks  HookFilter `yaml:"hooks"`
	// Features overrides settings of features for this agent.
	Features map[string]any `yaml:"features"`
	// Fallback names agents that take over, in order, when the provider fails for good.
	Fallback []string `yaml:"fallback"`

	// line is where Default is written.
	line int
}

// AgentModel chooses a model and describes it where the provider does not.
type AgentModel struct {
	Provider string `yaml:"provider"`
	Name     string `yaml:"name"`
	// Context is the length of the context in tokens; 0 leaves it to the provider.
	Context        int        `yaml:"context"`
	Think          Think      `yaml:"think"`
	Capabilities   []string   `yaml:"capabilities"`
	ParameterCount int64      `yaml:"parameter_count"`
	Family         string     `yaml:"family"`
	Generation     Generation `yaml:"generation"`
}

// Generation are the knobs of a model. Those that are nil are left to the provider.
type Generation struct {
	Temperature      *float64 `yaml:"temperature"`
	TopP             *float64 `yaml:"top_p"`
	TopK             *int     `yaml:"top_k"`
	MaxOutputTokens  *int     `yaml:"max_output_tokens"`
	FrequencyPenalty *float64 `yaml:"frequency_penalty"`
	PresencePenalty  *float64 `yaml:"presence_penalty"`
	Seed             *int     `yaml:"seed"`
	Stop             []string `yaml:"stop"`
}

// ToolFilter chooses tools by patterns of their names. Empty Enabled is all of them.
type ToolFilter struct {
	Enabled  []string `yaml:"enabled"`
	Disabled []string `yaml:"disabled"`
	Policy   Policy   `yaml:"policy"`
}

// Policy says which tool calls run without asking, which need a yes, and which never run. Deny goes before Confirm, and
// Confirm before Auto.
type Policy struct {
	Auto    []string `yaml:"auto"`
	Confirm []string `yaml:"confirm"`
	Deny    []string `yaml:"deny"`
}

// HookFilter chooses shell hooks by patterns of their names.
type HookFilter struct {
	Enabled  []string `yaml:"enabled"`
	Disabled []string `yaml:"disabled"`
}

// Think is how much a model thinks before it answers; empty leaves it to the provider.
type Think string

// The amounts of thinking.
const (
	ThinkOff    Think = "off"
	ThinkOn     Think = "on"
	ThinkLow    Think = "low"
	ThinkMedium Think = "medium"
	ThinkHigh   Think = "high"
)

// UnmarshalYAML implements yaml.Unmarshaler. Truth values stand for on and off.
func (t *Think) UnmarshalYAML(n *yaml.Node) error {
	words := map[string]Think{
		"true": ThinkOn, "false": ThinkOff, "on": ThinkOn, "off": ThinkOff,
		"low": ThinkLow, "medium": ThinkMedium, "high": ThinkHigh,
	}
	amount, ok := words[n.Value]
	if n.Kind != yaml.ScalarNode || !ok {
		return errors.New("expected true, false, low, medium or high")
	}
	*t = amount
	return nil
}

// agents also returns the name of the default one, empty if there is none.
func (l *loader) agents() (map[string]Agent, string, error) {
	agents, err := loadKind(l, kind[Agent]{name: "agent", folder: "agents", ext: markdownFiles, read: l.readAgent})
	if err != nil {
		return nil, "", err
	}
	name, err := defaultAgent(l.homes, agents)
	return agents, name, err
}

func (l *loader) readAgent(d document) ([]entity[Agent], error) {
	a := Agent{Source: d.Source, Prompt: strings.TrimSpace(d.body)}
	if err := l.decode(d, &a); err != nil {
		return nil, err
	}
	if a.Name == "" {
		return nil, d.fault([]string{"name"}, "missing: an agent needs a name in the frontmatter between two lines of ---")
	}
	if a.Model.Context < 0 {
		return nil, d.fault([]string{"model", "context"}, "%d is negative", a.Model.Context)
	}
	a.line = d.find("default").Line
	return []entity[Agent]{{name: a.Name, line: d.find("name").Line, value: a}}, nil
}

func defaultAgent(homes []Home, agents map[string]Agent) (string, error) {
	for _, home := range slices.Backward(homes) {
		var found Agent
		for _, name := range slices.Sorted(maps.Keys(agents)) {
			a := agents[name]
			if !a.Default || a.Source.Home != home {
				continue
			}
			if found.Default {
				return "", &strict.Error{File: a.Source.File, Line: a.line, Err: fmt.Errorf(
					"key \"default\": agent %q is the default already, in %s: keep it in one of them", found.Name, found.Source.File)}
			}
			found = a
		}
		if found.Default {
			return found.Name, nil
		}
	}
	return "", nil
}
