package slash

import (
	"context"
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/agent/tokens"
)

// barWidth is the width of the bar of /ctx, in columns. The bar and its brackets fit into 80 columns.
const barWidth = 76

// part is a part of the context. mark is its letter in the bar.
type part struct {
	mark   rune
	name   string
	tokens int
}

// ctx shows how full the context is, and what fills it.
func (c *commands) ctx(context.Context, string) (string, error) {
	now := c.State()
	parts := c.parts(now.SystemPrompt)
	first := fmt.Sprintf("%d tokens (estimated) in %d messages; the size of the model's context is not known", now.Tokens.Estimate, now.MessageCount)
	if now.Tokens.Max > 0 {
		percent := 100 * float64(now.Tokens.Estimate) / float64(now.Tokens.Max)
		first = fmt.Sprintf("%d of %d tokens (%.1f%%, estimated) in %d messages", now.Tokens.Estimate, now.Tokens.Max, percent, now.MessageCount)
		parts = append(parts, part{'.', "free", max(0, now.Tokens.Max-now.Tokens.Estimate)})
	}
	return first + "\n" + composed(parts), nil
}

// parts returns what fills the context. The instructions are a part of the system prompt.
func (c *commands) parts(system string) []part {
	is, instructions := c.Composition(), 0
	for _, text := range c.Setup().InstructionTexts() {
		if strings.Contains(system, text) {
			instructions += tokens.Estimate(text)
		}
	}
	instructions = min(instructions, is.System)
	return []part{
		{'S', "system prompt", is.System - instructions},
		{'I', "instructions", instructions},
		{'T', "tools", is.Tools},
		{'U', "user", is.Prompts},
		{'A', "assistant", is.Answers},
		{'R', "tool results", is.Results},
		{'+', "added messages", is.Added},
	}
}

// composed returns parts as a bar, with a line for each part that is not empty.
func composed(parts []part) string {
	total := 0
	for _, p := range parts {
		total += p.tokens
	}
	if total == 0 {
		return "[]"
	}
	var bar, lines strings.Builder
	used, sum := 0, 0
	for i, p := range parts {
		if p.tokens == 0 {
			continue
		}
		// Each part ends where its share ends, so that roundings do not add up. A small part still has a letter.
		sum += p.tokens
		end := max((sum*barWidth+total/2)/total, used+1)
		end = min(end, barWidth-left(parts[i+1:]))
		bar.WriteString(strings.Repeat(string(p.mark), end-used))
		used = end
		fmt.Fprintf(&lines, "\n%c  %-15s %9d  %5.1f%%", p.mark, p.name, p.tokens, 100*float64(p.tokens)/float64(total))
	}
	return "[" + bar.String() + "]" + lines.String()
}

// left returns how many parts are not empty.
func left(parts []part) int {
	n := 0
	for _, p := range parts {
		if p.tokens > 0 {
			n++
		}
	}
	return n
}
