package slash

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/tokens"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/sdk"
)

// barWidth is the width of the bar of /ctx, in columns. The bar and its brackets fit into 80 columns.
const barWidth = 76

// part is a part of the context. mark is its letter in the bar.
type part struct {
	mark   rune
	name   string
	tokens int
}

// Usage is what a session has used.
type Usage interface {
	Setup() *setup.Setup
	State() sdk.Context
	// Composition returns what fills the model's context.
	Composition() conversation.Composition
	Stats() sdk.Stats
	// Models returns the usage of each model since the session began.
	Models() []conversation.ModelUse
}

type usageCommands struct{ Usage }

// UsageCommands returns the commands that show what the session has used.
func UsageCommands(s Usage) []command.Command {
	c := usageCommands{s}
	return []command.Command{
		own("ctx", "Show how full the model's context is, and what fills it", c.ctx),
		own("context", "The same as /ctx", c.ctx),
		own("stats", "Show the counts and the cost of the session", c.stats),
		own("cost", "The same as /stats", c.stats),
	}
}

// ctx shows how full the context is, and what fills it.
func (c usageCommands) ctx(context.Context, string) (string, error) {
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
func (c usageCommands) parts(system string) []part {
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

func (c usageCommands) stats(context.Context, string) (string, error) {
	s := c.Stats()
	rows := map[string]string{
		"interactions": fmt.Sprint(s.Interactions), "turns": fmt.Sprint(s.Turns), "iterations": fmt.Sprint(s.Iterations),
		"tool calls": fmt.Sprint(s.ToolCalls), "tool errors": fmt.Sprint(s.ToolErrors), "parse retries": fmt.Sprint(s.ParseRetries),
		"compactions": fmt.Sprint(s.Compactions), "tokens in": fmt.Sprint(s.TokensIn), "tokens out": fmt.Sprint(s.TokensOut),
		"duration": s.Duration.Round(time.Second).String(),
	}
	for _, t := range s.TopTools {
		rows["tool "+t.Name] = fmt.Sprint(t.Count)
	}
	models := c.Models()
	for _, m := range models {
		used := fmt.Sprintf("%d tokens in, %d out", m.TokensIn, m.TokensOut)
		if m.CostUSD != nil {
			used += ", " + dollars(*m.CostUSD)
		}
		rows["model "+m.Model+" of "+m.Provider] = used
	}
	if total := conversation.TotalCost(s, models); total != nil {
		rows["cost"] = dollars(*total)
		if date := conversation.PricesOf(models); date != "" {
			rows["cost"] += " (list prices of " + date + ")"
		}
	}
	return listed(rows, ""), nil
}

// dollars formats an amount with all its decimals.
func dollars(amount float64) string { return "$" + strconv.FormatFloat(amount, 'f', -1, 64) }
