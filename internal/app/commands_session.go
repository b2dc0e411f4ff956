package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/command"
	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/plaintext"
	"github.com/idelchi/aura/internal/redact"
	"github.com/idelchi/aura/internal/session"
	"github.com/idelchi/aura/sdk"
)

// sessionCommands work on the history and where it is kept.
func (a *App) sessionCommands() []command.Command {
	return []command.Command{
		own("clear", "Forget the conversation so far", a.cmdClear),
		own("undo", "Take back the last prompt and what came of it", a.cmdUndo, "N"),
		own("compact", "Put the older part of the conversation into a summary", a.cmdCompact),
		own("save", "Say where the session is saved; with a name, call it so", a.cmdSave, "TITLE"),
		own("name", "Call the session by a name", a.cmdName, "TITLE"),
		own("resume", "Go on with another session, or list them", a.cmdResume, "ID"),
		own("fork", "Go on in a copy of the session", a.cmdFork),
		own("export", "Write the session to a file (.md or .json)", a.cmdExport, "FILE"),
	}
}

func (a *App) cmdClear(context.Context, string) (string, error) {
	if err := a.rewrite(nil); err != nil {
		return "", err
	}
	a.journal.rewind(0)
	return "the conversation is forgotten", nil
}

// rewrite puts other messages in the place of the history, and the todos that come of them.
func (a *App) rewrite(messages []llm.Message) error {
	if err := a.talk.SetHistory(messages); err != nil {
		return err
	}
	before := a.todos.Items()
	if err := a.todos.Set(nil); err != nil {
		return err
	}
	a.todos.Replay(messages)
	if len(a.todos.Items()) == 0 && len(messages) > 0 && messages[0].Synthetic {
		// The calls that made the list are behind a summary.
		if err := a.todos.Set(before); err != nil {
			return err
		}
	}
	a.journal.keepTodos()
	return nil
}

func (a *App) cmdUndo(_ context.Context, args string) (string, error) {
	n := 1
	if args = strings.TrimSpace(args); args != "" {
		var err error
		if n, err = strconv.Atoi(args); err != nil || n < 1 {
			return "", fmt.Errorf("taking back prompts: %q is not how many, from 1 on", args)
		}
	}
	history := a.talk.History()
	left := n
	for i, m := range slices.Backward(history) {
		if m.Role != llm.RoleUser || m.Synthetic {
			continue
		}
		if left--; left > 0 {
			continue
		}
		if err := a.rewrite(history[:i]); err != nil {
			return "", err
		}
		a.journal.rewind(i)
		return fmt.Sprintf("taken back: %s (and %d messages after it)", brief(m.Content), len(history)-i-1), nil
	}
	if n == left {
		return "", errors.New("taking back the last prompt: there is none")
	}
	return "", fmt.Errorf("taking back %d prompts: there are %d", n, n-left)
}

// brief is the beginning of a text, on one line.
func brief(text string) string {
	const limit = 60 // runes
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return string(runes)
}

func (a *App) cmdCompact(ctx context.Context, _ string) (string, error) {
	before := len(a.talk.History())
	if err := a.talk.Compact(ctx, true); err != nil {
		return "", alreadyToldError{err}
	}
	return fmt.Sprintf("the history had %d messages and has %d now", before, len(a.talk.History())), nil
}

func (a *App) cmdSave(ctx context.Context, args string) (string, error) {
	if strings.TrimSpace(args) != "" {
		if _, err := a.cmdName(ctx, args); err != nil {
			return "", err
		}
	}
	if a.journal.Path() == "" || a.journal.lost {
		return "", errors.New("this session is not saved; see the notice at its beginning for the reason")
	}
	return fmt.Sprintf("session %s is saved in %s", a.title(), a.journal.Path()), nil
}

func (a *App) cmdName(_ context.Context, args string) (string, error) {
	title := strings.Join(strings.Fields(args), " ")
	if title == "" {
		return "the session is called " + a.title(), nil
	}
	a.journal.note(func(s *session.State) { s.Title = title })
	a.refresh()
	return "the session is called " + title, nil
}

func (a *App) cmdResume(ctx context.Context, args string) (string, error) {
	prefix := strings.TrimSpace(args)
	if prefix == "" {
		return a.sessionList()
	}
	found, err := FindSession(a.cfg, prefix)
	if err != nil {
		return "", err
	}
	if found.ID == a.journal.ID() {
		return "this is session " + a.title() + " already", nil
	}
	a.noteFired()
	old := *a.journal
	saved, err := a.reopen(found)
	if err != nil {
		return "", err
	}
	old.Close(a.ended(session.ReasonDone))
	stats, err := countsOf(saved)
	if err != nil {
		a.notice("", err.Error())
	}
	if err := a.talk.Resume(saved.Messages, waitingOf(saved), stats); err != nil {
		return "", err
	}
	a.recallFired()
	a.refresh()
	if err := a.resumeAgent(ctx, saved.State); err != nil {
		return "", err
	}
	return fmt.Sprintf("this is session %s now, with %d messages; answers: %s", a.title(), len(saved.Messages), a.described()), nil
}

// resumeAgent lets the agent answer that did so in a saved session.
func (a *App) resumeAgent(ctx context.Context, s session.State) error {
	if s.Agent == a.role.agent.Name && s.Mode == a.role.mode.Name || a.savedAgent(s.Agent) == "" {
		return nil
	}
	r, err := findRole(a.cfg, s.Agent, s.Mode)
	if err != nil {
		return err
	}
	r.think, r.system = a.role.think, a.role.system
	return a.become(ctx, r, sdk.SwitchReasonResume)
}

func (a *App) sessionList() (string, error) {
	list, err := session.List(a.cfg.State.Sessions())
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, s := range list {
		if s.Err == "" {
			fmt.Fprintf(&b, "%s  %s\n", mark(s.ID, s.ID == a.journal.ID()), s.Title)
		}
	}
	if b.Len() == 0 {
		return "no sessions are saved", nil
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

func (a *App) cmdFork(context.Context, string) (string, error) {
	if a.journal.Journal == nil {
		return "", errors.New("forking the session: it is not saved, so there is nothing to fork")
	}
	p := a.talk.Persona()
	fork, err := session.Create(a.cfg.State.Sessions(), session.Meta{
		Version: a.opts.Version, Workdir: a.cfg.Workdir, Agent: p.Agent, Provider: p.ProviderName, Model: p.Model,
	})
	if err != nil {
		return "", err
	}
	fork.Hide(a.hideSecrets)
	a.noteFired()
	state := a.journal.state
	state.Parent = a.journal.ID()
	for _, m := range a.talk.History() {
		if err := fork.Append(m); err != nil {
			return "", errors.Join(err, fork.Close(session.End{Reason: session.ReasonError}))
		}
	}
	files, err := json.Marshal(a.seen.Snapshot())
	if err := errors.Join(err, fork.Note(state), fork.See(files)); err != nil {
		return "", errors.Join(err, fork.Close(session.End{Reason: session.ReasonError}))
	}
	parent := a.journal.ID()
	a.journal.Close(a.ended(session.ReasonDone))
	a.journal.Journal, a.journal.state, a.journal.lost = fork, state, false
	a.refresh()
	return fmt.Sprintf("this is session %s now, a copy of %s", fork.ID(), parent), nil
}

func (a *App) cmdExport(_ context.Context, args string) (string, error) {
	format, file := session.FormatMarkdown, strings.TrimSpace(args)
	if strings.EqualFold(filepath.Ext(file), ".json") {
		format = session.FormatJSON
	}
	p := a.talk.Persona()
	text, err := Export(session.Session{
		Meta: session.Meta{
			ID: a.journal.ID(), Version: a.opts.Version, Workdir: a.cfg.Workdir, Agent: p.Agent, Provider: p.ProviderName,
			Model: a.talk.Context().ModelInfo.Name, StartedAt: a.talk.Stats().StartTime,
		},
		State: a.journal.state, Messages: a.talk.History(),
	}, format, a.secrets.Get())
	if err != nil || file == "" {
		return text, err
	}
	if filepath.IsAbs(file) {
		err = files.Save(file, []byte(text), 0o600)
	} else {
		err = files.SaveBelow(a.cfg.Workdir, file, []byte(text), 0o600)
		file = filepath.Join(a.cfg.Workdir, file)
	}
	if err != nil {
		return "", fmt.Errorf("exporting session: %w", err)
	}
	return "wrote " + file, nil
}

// Export writes a session in a format, without what does not belong into a file that others read and print: secrets and control
// sequences.
func Export(s session.Session, format session.Format, secrets *redact.Redactor) (string, error) {
	text, err := session.Export(s, format)
	if err != nil {
		return "", err
	}
	if format == session.FormatJSON {
		return string(plaintext.JSON(secrets.JSON([]byte(text)))), nil
	}
	return plaintext.Strip(secrets.String(text)), nil
}
