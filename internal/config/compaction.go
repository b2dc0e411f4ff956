package config

import "math"

// Compaction says when the history of a session is summarised, and by whom: the key compaction: in features/.
type Compaction struct {
	// Threshold is how full the context may be, in percent; 0 is as full as it gets, unless MaxTokens is set.
	Threshold float64 `check:"min=0,max=100" yaml:"threshold"`
	// MaxTokens is how long the history may be, whatever the size of the context; 0 leaves it to Threshold.
	MaxTokens int `check:"min=0" yaml:"max_tokens"`
	// KeepLastMessages is how many messages at the end are left as they are.
	KeepLastMessages int `check:"min=0" yaml:"keep_last_messages"`
	// Agent summarises; without one the current agent's model does, with the prompt named Prompt or aura's own.
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
