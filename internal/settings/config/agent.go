package config

import (
	"errors"
	"maps"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/agent/policy"
)

// Agent is a model with a prompt and a selection of tools: agents/**/*.md, one per file.
type Agent struct {
	Source Source `yaml:"-"`
	// Prompt is the body of the file, a template for the system prompt. If the body is empty, the body of the last parent that
	// has one is used.
	Prompt string `yaml:"-"`
	// PromptAt is the location of Prompt.
	PromptAt Place `yaml:"-"`

	Name        string `check:"required"    yaml:"name"`
	Description string `yaml:"description"`
	// Inherit names the agents from which this agent takes its settings. The last one takes precedence. This value already
	// includes their settings.
	Inherit []string `yaml:"inherit"`
	// Default marks the agent that is used if none is named. It is not inherited.
	Default bool `yaml:"default"`
	// Hide omits the agent from lists.
	Hide bool `yaml:"hide"`
	// Subagent allows other agents to delegate work to this one.
	Subagent bool       `yaml:"subagent"`
	Model    AgentModel `yaml:"model"`
	// System names a prompt that is placed before the body.
	System string     `yaml:"system"`
	Mode   string     `yaml:"mode"`
	Tools  ToolFilter `yaml:"tools"`
	Hooks  HookFilter `yaml:"hooks"`
	// Features overrides settings of features for this agent; see FeaturesFor.
	Features map[string]any `yaml:"-"`
	// Fallback names the agents that take over, in order, if the provider fails permanently.
	Fallback []string `yaml:"fallback"`

	made lineage
}

// agentFile is the frontmatter of an agent.
type agentFile struct {
	Agent `yaml:",inline"`

	Features featureFile `yaml:"features"`
	// MCP holds servers as files in mcp/ do. Only this agent and those that inherit from it have them; see addAgentServers.
	MCP map[string]mcpFile `yaml:"mcp"`
	// servers are those of MCP.
	servers []entity[MCPServer]
}

// AgentModel selects a model, and describes it if the provider does not.
type AgentModel struct {
	Provider string `yaml:"provider"`
	Name     string `yaml:"name"`
	// Context is the length of the context in tokens. 0 leaves it to the provider.
	Context        int        `check:"min=0"             yaml:"context"`
	Think          Think      `yaml:"think"`
	Capabilities   []string   `yaml:"capabilities"`
	ParameterCount int64      `check:"min=0" yaml:"parameter_count"`
	Family         string     `yaml:"family"`
	Generation     Generation `yaml:"generation"`
}

// Generation holds the sampling parameters of a model. Nil values are left to the provider.
type Generation struct {
	Temperature      *float64 `yaml:"temperature"`
	TopP             *float64 `yaml:"top_p"`
	TopK             *int     `yaml:"top_k"`
	MaxOutputTokens  *int     `check:"min=1" yaml:"max_output_tokens"`
	FrequencyPenalty *float64 `yaml:"frequency_penalty"`
	PresencePenalty  *float64 `yaml:"presence_penalty"`
	Seed             *int     `yaml:"seed"`
	Stop             []string `yaml:"stop"`
}

// ToolFilter selects tools by patterns of their names. An empty Enabled means all tools.
type ToolFilter struct {
	Enabled  []string `yaml:"enabled"`
	Disabled []string `yaml:"disabled"`
	Policy   Policy   `yaml:"policy"`
}

// Policy decides which tool calls run without asking, which need confirmation, and which never run. Deny takes precedence over
// Confirm, and Confirm over Auto.
type Policy struct {
	Auto    []string `yaml:"auto"`
	Confirm []string `yaml:"confirm"`
	Deny    []string `yaml:"deny"`
	// Default holds the actions for calls by what they do.
	Default PolicyDefault `yaml:"default"`
}

// HookFilter selects shell hooks by patterns of their names.
type HookFilter struct {
	Enabled  []string `yaml:"enabled"`
	Disabled []string `yaml:"disabled"`
}

// Think is how much a model thinks before it answers. An empty value leaves it to the provider.
type Think string

// The amounts of thinking.
const (
	ThinkOff    Think = "off"
	ThinkOn     Think = "on"
	ThinkLow    Think = "low"
	ThinkMedium Think = "medium"
	ThinkHigh   Think = "high"
)

// UnmarshalYAML implements yaml.Unmarshaler. Booleans mean on and off.
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

// agents reads all agents. It also returns the name of the default agent, which is empty if there is none.
func (l *loader) agents() (map[string]Agent, string, error) {
	declared, err := loadKind(l, kind[declaration]{name: agentKind, folder: "config/agents", ext: markdownFiles, read: l.readAgent})
	if err != nil {
		return nil, "", err
	}
	agents, err := resolveInheritance(l, agentKind, declared, buildAgent)
	if err != nil {
		return nil, "", err
	}
	name, err := defaultAgent(l.homes, agents)
	if err != nil {
		return agents, "", l.faulty(agentKind, agents[name].Source, err)
	}
	return agents, name, nil
}

func (l *loader) readAgent(d document) ([]entity[declaration], error) {
	var f agentFile
	if err := l.decode(d, &f); err != nil {
		return nil, err
	}
	if err := d.named("an agent", f.Name); err != nil {
		return nil, err
	}
	declared := declaration{document: d, name: f.Name, parents: f.Inherit, file: f}
	if err := checkPackagedAgent(declared); err != nil {
		return nil, err
	}
	if err := f.Tools.Policy.check(declared.below(toolsKey).below("policy")); err != nil {
		return nil, err
	}
	if written := d.get(mcpKey); written != nil {
		below := d
		below.root, below.above = written, []string{mcpKey}
		var err error
		if f.servers, err = finishAll(below, f.MCP, l.finishMCP); err != nil {
			return nil, err
		}
		declared.file = f
	}
	return declare(declared, d.line("name"))
}

// check refuses rules that cannot match a call.
func (p Policy) check(d declaration) error {
	for _, part := range []struct {
		key   string
		rules policy.Rules
	}{
		{"auto", policy.Rules{Auto: p.Auto}}, {"confirm", policy.Rules{Confirm: p.Confirm}}, {"deny", policy.Rules{Deny: p.Deny}},
	} {
		if _, err := policy.New(part.rules); err != nil {
			return d.wrong([]string{part.key}, "%w", err)
		}
	}
	return nil
}

// declare returns the single entity that a file declares, after it has checked the overrides.
func declare(d declaration, line int) ([]entity[declaration], error) {
	if err := d.below(featuresKey).checkOverrides(); err != nil {
		return nil, err
	}
	return []entity[declaration]{{name: d.name, line: line, value: d}}, nil
}

func buildAgent(made lineage) (Agent, error) {
	f, overrides, err := combined[agentFile](made)
	a := f.Agent
	a.Source, a.Prompt, a.PromptAt, a.Features, a.made = made.own().Source, made.body(), made.place(), overrides, made
	return a, err
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
				return a.Name, a.made.own().wrong([]string{"default"},
					"agent %q is the default already, in %s: keep it in one of them", found.Name, found.Source.File)
			}
			found = a
		}
		if found.Default {
			return found.Name, nil
		}
	}
	return "", nil
}
