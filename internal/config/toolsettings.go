package config

import (
	"errors"
	"math"
	"time"

	"gopkg.in/yaml.v3"
)

// Tools are the settings of tools: the key tools: in features/.
type Tools struct {
	// Enabled and Disabled are the first layer of the choice of tools, before those of agents, modes and tasks.
	Enabled  []string `yaml:"enabled"`
	Disabled []string `yaml:"disabled"`
	// OptIn are tools that are offered only where a layer names them exactly.
	OptIn []string `yaml:"opt_in"`
	// MaxSteps bounds the model calls of one interaction.
	MaxSteps int `check:"min=1" yaml:"max_steps"`
	// TokenBudget bounds the tokens of a session, input and output together; 0 is no bound.
	TokenBudget int        `check:"min=0" yaml:"token_budget"`
	ReadBefore  ReadBefore `yaml:"read_before"`
	Result      ToolResult `yaml:"result"`
	Bash        Bash       `yaml:"bash"`
	// Policy is the lowest layer of the policy.
	Policy Policy `yaml:"policy"`
}

// ReadBefore says what may be done only to files that have been read.
type ReadBefore struct {
	Write  bool `yaml:"write"`
	Delete bool `yaml:"delete"`
}

// ToolResult bounds what a tool gives back to the model.
type ToolResult struct {
	// MaxTokens is per result; 0 is no bound.
	MaxTokens int `check:"min=0" yaml:"max_tokens"`
}

// Bash are the settings of the tool of that name.
type Bash struct {
	// Timeout is for calls that name none.
	Timeout    Timeout    `yaml:"timeout"`
	Truncation Truncation `yaml:"truncation"`
}

// Truncation says when the output of a command is shortened, and what is kept of it. A bound of 0 is none.
type Truncation struct {
	MaxOutputBytes int `check:"min=0" yaml:"max_output_bytes"`
	// MaxLines is how many lines are given in full. Of more, the first HeadLines and the last TailLines are kept.
	MaxLines  int `check:"min=0" yaml:"max_lines"`
	HeadLines int `check:"min=0" yaml:"head_lines"`
	TailLines int `check:"min=0" yaml:"tail_lines"`
}

// Timeout is how long something may take. In files it is a duration such as 90s, or a number of seconds.
type Timeout time.Duration

// Duration is the timeout as the standard library has it.
func (t Timeout) Duration() time.Duration { return time.Duration(t) }

// String is for messages, such as 1m30s.
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
		// The bound keeps the conversion from overflowing.
		if err := n.Decode(&seconds); err != nil || math.IsNaN(seconds) || math.Abs(seconds) > maxSeconds {
			return expected
		}
		*t = Timeout(seconds * float64(time.Second))
	default:
		return expected
	}
	return nil
}

// maxSeconds is about thirty years.
const maxSeconds = 1e9

func defaultTools() Tools {
	return Tools{
		MaxSteps:   50,
		ReadBefore: ReadBefore{Write: true},
		Result:     ToolResult{MaxTokens: 20_000},
		Bash: Bash{
			Timeout:    Timeout(2 * time.Minute),
			Truncation: Truncation{MaxOutputBytes: 1 << 20, MaxLines: 200, HeadLines: 100, TailLines: 80},
		},
	}
}

func (t Tools) check(d declaration) error {
	if t.Bash.Timeout <= 0 {
		return d.wrong([]string{"bash", "timeout"}, "%s is not positive: write a duration such as 30s, or leave the key out for the default", t.Bash.Timeout)
	}
	return t.Policy.check(d.below("policy"))
}
