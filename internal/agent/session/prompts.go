package session

import (
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
)

// Prompt is a prompt of the user in a history.
type Prompt struct {
	// Number counts from 1. Index is the position in the history.
	Number, Index int
	At            time.Time
	Text          string
}

// Prompts returns the prompts of a history.
func Prompts(history []llm.Message) []Prompt {
	var out []Prompt
	for i, m := range history {
		if m.Role == llm.RoleUser && !m.Synthetic {
			out = append(out, Prompt{Number: len(out) + 1, Index: i, At: m.CreatedAt, Text: m.Content})
		}
	}
	return out
}
