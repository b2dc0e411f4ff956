package config

import "math"

// Compaction decides when the history of a session is summarised, and by which agent: the key compaction: in features/.
type Compaction struct {
	// Threshold is how full the context may become, in percent. 0 means that the history is summarised only when the context is
	// full, unless MaxTokens is set.
	Threshold float64 `check:"min=0,max=100" yaml:"threshold"`
	// MaxTokens is how long the history may become, whatever the size of the context. 0 leaves it to Threshold.
	MaxTokens int `check:"min=0" yaml:"max_tokens"`
	// KeepLastMessages is how many messages at the end are not summarised.
	KeepLastMessages int `check:"min=0" yaml:"keep_last_messages"`
	// Agent names the agent that summarises. If Agent is empty, the current agent's model summarises, with the prompt named
	// Prompt or aura's own.
	Agent  string `yaml:"agent"`
	Prompt string `yaml:"prompt"`
}

func defaultCompaction() Compaction { return Compaction{Threshold: 80, KeepLastMessages: 10} }

func (c Compaction) check(d declaration) error {
	if math.IsNaN(c.Threshold) || c.Threshold != 0 && c.Threshold < 1 {
		return d.wrong([]string{"threshold"}, "%v is not a percentage from 1 to 100, nor 0 for never", c.Threshold)
	}
	return nil
}
