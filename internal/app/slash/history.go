package slash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/agent/llm"
)

// Rewinder is a session whose history can be shortened.
type Rewinder interface {
	History() []llm.Message
	// Rewind removes all messages except the first keep.
	Rewind(keep int) error
	Compact(ctx context.Context) error
}

type historyCommands struct{ Rewinder }

// HistoryCommands returns the commands that shorten the history.
func HistoryCommands(s Rewinder) []command.Command {
	c := historyCommands{s}
	return []command.Command{
		own("clear", "Clear the conversation", c.clear),
		own("undo", "Undo the last prompt and everything after it", c.undo, "N"),
		own("compact", "Replace the older part of the conversation by a summary", c.compact),
	}
}

func (c historyCommands) clear(context.Context, string) (string, error) {
	return "the conversation is forgotten", c.Rewind(0)
}

func (c historyCommands) undo(_ context.Context, args string) (string, error) {
	n := 1
	if args = strings.TrimSpace(args); args != "" {
		var err error
		if n, err = strconv.Atoi(args); err != nil || n < 1 {
			return "", fmt.Errorf("taking back prompts: %q is not how many, from 1 on", args)
		}
	}
	history := c.History()
	left := n
	for i, m := range slices.Backward(history) {
		if m.Role != llm.RoleUser || m.Synthetic {
			continue
		}
		if left--; left > 0 {
			continue
		}
		return fmt.Sprintf("undone: %s (and %d messages after it)", brief(m.Content), len(history)-i-1), c.Rewind(i)
	}
	if n == left {
		return "", errors.New("taking back the last prompt: there is none")
	}
	return "", fmt.Errorf("taking back %d prompts: there are %d", n, n-left)
}

// brief returns the beginning of a text, on one line.
func brief(text string) string {
	const limit = 60 // runes
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return string(runes)
}

func (c historyCommands) compact(ctx context.Context, _ string) (string, error) {
	before := len(c.History())
	if err := c.Compact(ctx); err != nil {
		return "", &ReportedError{err}
	}
	return fmt.Sprintf("the history had %d messages and has %d now", before, len(c.History())), nil
}
