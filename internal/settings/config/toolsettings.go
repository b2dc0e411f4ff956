package config

import (
	"errors"
	"math"
	"net/url"
	"time"

	"gopkg.in/yaml.v3"
)

// Tools holds the settings of tools: the key tools: in features/.
type Tools struct {
	// Enabled and Disabled are the first layer of the selection of tools, before those of agents, modes and tasks.
	Enabled  []string `yaml:"enabled"`
	Disabled []string `yaml:"disabled"`
	// OptIn names tools that are offered only if a layer names them exactly.
	OptIn []string `yaml:"opt_in"`
	// MaxSteps limits the model calls of one interaction.
	MaxSteps int `check:"min=1" yaml:"max_steps"`
	// TokenBudget limits the tokens of a session, input and output together. 0 means no limit.
	TokenBudget int        `check:"min=0" yaml:"token_budget"`
	ReadBefore  ReadBefore `yaml:"read_before"`
	Result      ToolResult `yaml:"result"`
	// Timeout applies to each call of a built-in tool except Bash.
	Timeout Timeout `yaml:"timeout"`
	Bash    Bash    `yaml:"bash"`
	// Subagents is how many subagents may work at the same time.
	Subagents int    `check:"min=1" yaml:"subagents"`
	Search    Search `yaml:"search"`
	// Policy is the policy layer of lowest precedence.
	Policy Policy `yaml:"policy"`
	// Mode names the mode of a session in which nothing else names one. It may be NoMode. A mode cannot set it.
	Mode string `yaml:"mode"`
}

// Search holds the settings of the tool WebSearch.
type Search struct {
	// SearXNG is the URL of a SearXNG server. Without it, the service of the model searches.
	SearXNG string `yaml:"searxng"`
	// Provider lets the service of the model search, if it can.
	Provider bool `yaml:"provider"`
}

// ReadBefore decides which operations are allowed only on files that were read before.
type ReadBefore struct {
	Write  bool `yaml:"write"`
	Delete bool `yaml:"delete"`
}

// ToolResult limits the result that a tool returns to the model.
type ToolResult struct {
	// MaxTokens applies to each result. 0 means no limit.
	MaxTokens int `check:"min=0" yaml:"max_tokens"`
}

// Bash holds the settings of the tool Bash.
type Bash struct {
	// Timeout applies to calls that set none.
	Timeout    Timeout    `yaml:"timeout"`
	Truncation Truncation `yaml:"truncation"`
	// ReadOnly confines commands so that they change nothing but temporary files and private caches. They do not run where that cannot be enforced.
	ReadOnly bool `yaml:"read_only"`
}

// Truncation decides when the output of a command is shortened, and what is kept. A limit of 0 means no limit.
type Truncation struct {
	MaxOutputBytes int `check:"min=0" yaml:"max_output_bytes"`
	// MaxLines is how many lines are returned in full. If there are more, the first HeadLines and the last TailLines are kept.
	MaxLines  int `check:"min=0" yaml:"max_lines"`
	HeadLines int `check:"min=0" yaml:"head_lines"`
	TailLines int `check:"min=0" yaml:"tail_lines"`
}

// Timeout is how long an operation may take. In files it is a duration such as 90s, or a number of seconds.
type Timeout time.Duration

// Duration returns the timeout as a time.Duration.
func (t Timeout) Duration() time.Duration { return time.Duration(t) }

// String returns the timeout for messages, such as 1m30s.
func (t Timeout) String() string { return time.Duration(t).String() }

// UnmarshalYAML implements yaml.Unmarshaler.
func (t *Timeout) UnmarshalYAML(n *yaml.Node) error {
	expected := errors.New("expected a duration such as 10s, or a number of seconds")
	switch n.ShortTag() {
	case "!!str":
		d, err := time.ParseDuration(n.Value)
		if err != nil {
			return expected
		}
		*t = Timeout(d)
	case "!!int", "!!float":
		var seconds float64
		// The limit prevents an overflow in the conversion.
		if err := n.Decode(&seconds); err != nil || math.IsNaN(seconds) || math.Abs(seconds) > maxSeconds {
			return expected
		}
		*t = Timeout(seconds * float64(time.Second))
	default:
		return expected
	}
	return nil
}

// maxSeconds is about thirty years, in seconds.
const maxSeconds = 1e9

func defaultTools() Tools {
	return Tools{
		MaxSteps:   50,
		ReadBefore: ReadBefore{Write: true},
		Result:     ToolResult{MaxTokens: 20_000},
		Timeout:    Timeout(2 * time.Minute),
		Subagents:  4,
		Search:     Search{Provider: true},
		Bash: Bash{
			Timeout:    Timeout(2 * time.Minute),
			Truncation: Truncation{MaxOutputBytes: 1 << 20, MaxLines: 200, HeadLines: 100, TailLines: 80},
		},
	}
}

func (t Tools) check(d declaration) error {
	const positive = "%s is not positive: write a duration such as 30s, or leave the key out for the default"
	if t.Timeout <= 0 {
		return d.wrong([]string{timeoutKey}, positive, t.Timeout)
	}
	if t.Bash.Timeout <= 0 {
		return d.wrong([]string{"bash", timeoutKey}, positive, t.Bash.Timeout)
	}
	if at := t.Search.SearXNG; at != "" {
		u, err := url.Parse(at)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return d.wrong([]string{"search", "searxng"}, "%q is not the URL of a server, such as http://localhost:8888", at)
		}
	}
	return t.Policy.check(d.below("policy"))
}
