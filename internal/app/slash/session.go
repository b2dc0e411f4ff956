package slash

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/author/explain"
)

// Saved says where a session is saved.
type Saved struct {
	// ID and Path are empty for a session that is not saved. Lost is set if saving failed and was given up.
	ID, Path string
	Lost     bool
	// Title is the session's name, or else its id.
	Title string
}

// Journal is the file in which a session is saved.
type Journal interface {
	Saved() Saved
	SetTitle(title string)
	// Fork continues in a copy of the session.
	Fork() error
	// Export writes the session to a file, or returns it if that has no name.
	Export(file string) (string, error)
}

type journalCommands struct{ Journal }

// JournalCommands returns the commands about the saved session.
func JournalCommands(s Journal) []command.Command {
	c := journalCommands{s}
	return []command.Command{
		own("save", "Show where the session is saved, and name it if a name is given", c.save, "TITLE"),
		own("name", "Name the session", c.name, "TITLE"),
		own("fork", "Continue in a copy of the session", c.fork),
		own("explain", "Show which plugin changed what, in the last turn or in one of that number", c.explain, "TURN|PLUGIN"),
		own("export", "Write the session to a file (.md or .json)", c.export, "FILE"),
	}
}

func (c journalCommands) save(ctx context.Context, args string) (string, error) {
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
func (c journalCommands) explain(_ context.Context, args string) (string, error) {
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

func (c journalCommands) name(_ context.Context, args string) (string, error) {
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

func (c journalCommands) fork(context.Context, string) (string, error) {
	parent := c.Saved().ID
	if parent == "" {
		return "", errors.New("forking the session: it is not saved, so there is nothing to fork")
	}
	if err := c.Fork(); err != nil {
		return "", err
	}
	return fmt.Sprintf("this is session %s now, a copy of %s", c.Saved().ID, parent), nil
}

func (c journalCommands) export(_ context.Context, args string) (string, error) {
	return c.Export(strings.TrimSpace(args))
}

// Resumer is a session that can continue as another saved session.
type Resumer interface {
	Current
	Saved() Saved
	History() []llm.Message
	// Resume continues the saved session that matches a word, and reports whether that is a different session than before.
	Resume(ctx context.Context, word string) (other bool, err error)
}

type resumeCommands struct{ Resumer }

// ResumeCommands returns the command that continues another session.
func ResumeCommands(s Resumer) []command.Command {
	return []command.Command{
		own("resume", "Resume another session by its id, name or title, or list them", resumeCommands{s}.resume, "ID|NAME"),
	}
}

func (c resumeCommands) resume(ctx context.Context, args string) (string, error) {
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
	return fmt.Sprintf("this is session %s now, with %d messages; answers: %s", c.Saved().Title, len(c.History()), described(c)), nil
}

func (c resumeCommands) sessionList() (string, error) {
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
