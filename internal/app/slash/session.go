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
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/author/explain"
)

// sessionCommands returns the commands that change the history or the saved session.
func (c *commands) sessionCommands() []command.Command {
	return []command.Command{
		own("clear", "Clear the conversation", c.clear),
		own("undo", "Undo the last prompt and everything after it", c.undo, "N"),
		own("compact", "Replace the older part of the conversation by a summary", c.compact),
		own("save", "Show where the session is saved, and name it if a name is given", c.save, "TITLE"),
		own("name", "Name the session", c.name, "TITLE"),
		own("resume", "Resume another session by its id, name or title, or list them", c.resume, "ID|NAME"),
		own("fork", "Continue in a copy of the session", c.fork),
		own("explain", "Show which plugin changed what, in the last turn or in one of that number", c.explain, "TURN|PLUGIN"),
		own("export", "Write the session to a file (.md or .json)", c.export, "FILE"),
	}
}

func (c *commands) clear(context.Context, string) (string, error) {
	return "the conversation is forgotten", c.Rewind(0)
}

func (c *commands) undo(_ context.Context, args string) (string, error) {
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

func (c *commands) compact(ctx context.Context, _ string) (string, error) {
	before := len(c.History())
	if err := c.Compact(ctx); err != nil {
		return "", &ReportedError{err}
	}
	return fmt.Sprintf("the history had %d messages and has %d now", before, len(c.History())), nil
}

func (c *commands) save(ctx context.Context, args string) (string, error) {
	if strings.TrimSpace(args) != "" {
		if _, err := c.name(ctx, args); err != nil {
			return "", err
		}
	}
	saved := c.Saved()
	if saved.Path == "" || saved.Lost {
		return "", errors.New("this session is not saved; see the notice at its beginning for the reason")
	}
	return fmt.Sprintf("session %s is saved in %s", saved.Title, saved.Path), nil
}

// explain shows the last turn, the turn of a number, or all calls of a plugin.
func (c *commands) explain(_ context.Context, args string) (string, error) {
	saved := c.Saved()
	if saved.Path == "" {
		return "", errors.New("this session is not saved, so nothing is known about what happened")
	}
	var filter explain.Filter
	word := strings.TrimSpace(args)
	number, err := strconv.Atoi(word)
	switch {
	case err == nil && number < 1:
		return "", fmt.Errorf("explaining turn %d: turns are counted from 1", number)
	case err == nil:
		filter.Turn = number
	default:
		filter.Plugin = word
	}
	turns, err := explain.Session(saved.Path, filter)
	if err != nil {
		return "", err
	}
	if word == "" {
		turns = explain.Last(turns)
	}
	return strings.TrimRight(explain.Text(turns, filter.Plugin != ""), "\n"), nil
}

func (c *commands) name(_ context.Context, args string) (string, error) {
	title := session.Name(args)
	if title == "" {
		return "the session is named " + c.Saved().Title, nil
	}
	if err := session.CheckName(title); err != nil {
		return "", err
	}
	c.SetTitle(title)
	return "the session is named " + title, nil
}

func (c *commands) resume(ctx context.Context, args string) (string, error) {
	word := strings.TrimSpace(args)
	if word == "" {
		return c.sessionList()
	}
	other, err := c.Resume(ctx, word)
	if err != nil {
		return "", err
	}
	if !other {
		return "this is session " + c.Saved().Title + " already", nil
	}
	return fmt.Sprintf("this is session %s now, with %d messages; answers: %s", c.Saved().Title, len(c.History()), c.described()), nil
}

func (c *commands) sessionList() (string, error) {
	list, err := session.List(c.Setup().Config.State.Sessions())
	if err != nil {
		return "", err
	}
	short, err := session.ShortIDs(c.Setup().Config.State.AllSessions()...)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, s := range list {
		if s.Err == "" {
			fmt.Fprintf(&b, "%s  %s\n", mark(short[s.ID], s.ID == c.Saved().ID), s.Title)
		}
	}
	if b.Len() == 0 {
		return "no sessions are saved", nil
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

func (c *commands) fork(context.Context, string) (string, error) {
	parent := c.Saved().ID
	if parent == "" {
		return "", errors.New("forking the session: it is not saved, so there is nothing to fork")
	}
	if err := c.Fork(); err != nil {
		return "", err
	}
	return fmt.Sprintf("this is session %s now, a copy of %s", c.Saved().ID, parent), nil
}

func (c *commands) export(_ context.Context, args string) (string, error) {
	return c.Export(strings.TrimSpace(args))
}
