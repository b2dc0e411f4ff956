package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/host/pluginstate"
	"github.com/idelchi/aura/internal/agent/background"
	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/app/slash"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/sdk"
)

// control is a session as slash commands use it.
type control struct{ s *Session }

// builtinCommands returns aura's built-in commands. Without a session, they can be listed but not run.
func builtinCommands(s *Session) []command.Command {
	c := control{s}
	return slices.Concat(
		slash.RoleCommands(c), slash.ToggleCommands(c), slash.HistoryCommands(c), slash.JournalCommands(c), slash.ResumeCommands(c),
		slash.CurrentCommands(c), slash.UsageCommands(c), slash.InfoCommands(c), slash.PluginCommands(c.Plugins),
		slash.ServerCommands(c), slash.TodoCommands(c), slash.TaskCommands(c), slash.RewindCommands(c), slash.DiffCommands(c),
		slash.FlowCommands(c), slash.ReloadCommands(c.Reload), slash.HelpCommands(c.Commands), slash.ExitCommands(), slash.InitCommands(),
	)
}

func (c control) Setup() *setup.Setup           { return c.s.setup }
func (c control) Persona() conversation.Persona { return c.s.talk.Persona() }
func (c control) State() sdk.Context            { return c.s.talk.Context() }
func (c control) Stats() sdk.Stats              { return c.s.talk.Stats() }
func (c control) History() []llm.Message        { return c.s.talk.History() }
func (c control) Plugins() []*host.Plugin       { return c.s.plugins.list() }
func (c control) Prompts() []mcp.Prompt         { return c.s.servers.set.Prompts() }
func (c control) Todos() *todo.List             { return &c.s.todos }
func (c control) Background() *background.Set   { return &c.s.journal.commands }
func (c control) Commands() []command.Command   { return c.s.commands.List() }
func (c control) SetAuto(on bool)               { c.s.talk.SetAuto(on) }
func (c control) SetDone(on bool)               { c.s.talk.SetDone(on) }

func (c control) Composition() conversation.Composition { return c.s.talk.Composition() }

func (c control) Choices(ctx context.Context, command string) ([]frontend.Choice, error) {
	return c.s.Choices(ctx, command)
}

func (c control) Models() []conversation.ModelUse { return c.s.talk.Models() }

func (c control) Saved() slash.Saved {
	j := c.s.journal
	return slash.Saved{ID: j.ID(), Path: j.Path(), Lost: j.lost, Title: j.title()}
}

func (c control) Switch(ctx context.Context, r setup.Role, reason string) error {
	return c.s.switchTo(ctx, r, reason)
}

func (c control) Change(ctx context.Context, change func(*setup.Source, *setup.Role)) error {
	return c.s.change(ctx, change)
}

func (c control) Reload(ctx context.Context) (string, error)     { return c.s.reload(ctx) }
func (c control) Compact(ctx context.Context) error              { return c.s.talk.Compact(ctx, true) }
func (c control) Connect(ctx context.Context, name string) error { return c.s.connect(ctx, name) }

func (c control) RunLine(ctx context.Context, line string) (exit bool, err error) {
	return c.s.runPromptOrCommand(ctx, frontend.Line{Text: line})
}

func (c control) SetVerbose(on bool) {
	c.s.verbose = on
	if viewer, ok := c.s.front.(frontend.ThinkingViewer); ok {
		viewer.ShowThinking(on)
	}
	c.s.refresh()
}

// Rewind removes all messages except the first keep, and the todos that resulted from the removed messages.
func (c control) Rewind(keep int) error {
	s, messages := c.s, c.s.talk.History()[:keep]
	if err := s.talk.SetHistory(messages); err != nil {
		return err
	}
	before := s.todos.Items()
	if err := s.todos.Set(nil); err != nil {
		return err
	}
	s.todos.Replay(messages)
	if len(s.todos.Items()) == 0 && len(messages) > 0 && messages[0].Synthetic {
		// A summary replaced the calls that created the list.
		if err := s.todos.Set(before); err != nil {
			return err
		}
	}
	s.journal.keepTodos()
	s.journal.rewind(keep)
	return nil
}

func (c control) ClearTodos() error {
	err := c.s.todos.Set(nil)
	c.s.journal.keepTodos()
	return err
}

func (c control) SetTitle(title string) {
	c.s.journal.changeState(func(state *session.State) { state.Title = title })
	c.s.refresh()
}

// Resume continues a saved session with the agent, mode, provider and model of that session.
func (c control) Resume(ctx context.Context, word string) (other bool, err error) {
	s := c.s
	found, err := inspect.FindSession(s.setup.Config, word)
	if err != nil || found.ID == s.journal.ID() {
		return false, err
	}
	s.plugins.noteFired()
	old := &journal{Journal: s.journal.Journal, tell: s.journal.tell, lost: s.journal.lost}
	saved, err := s.journal.reopen(found)
	if err != nil {
		return false, err
	}
	old.Close(s.ended(session.ReasonDone))
	stats, models, err := countsOf(saved)
	if err != nil {
		s.notices.show(err.Error())
	}
	if err := s.talk.Resume(saved.Messages, waitingOf(saved), stats, models); err != nil {
		return false, err
	}
	s.plugins.recallFired()
	s.refresh()
	return true, c.resumeRole(ctx, saved)
}

// resumeRole switches to the role of a saved session.
func (c control) resumeRole(ctx context.Context, saved session.Session) error {
	now := c.s.setup.Role
	r, err := roleFinder{source: c.s.setup.Source, saved: saved, notify: c.s.notices.show}.find(ctx, wanted{})
	if err != nil {
		return err
	}
	if r.Agent.Name == now.Agent.Name && r.Mode.Name == now.Mode.Name && r.Provider == now.Provider && r.Model == now.Model {
		c.s.noteRole()
		return nil
	}
	r.Think, r.System = now.Think, now.System
	return c.s.switchTo(ctx, r, sdk.SwitchReasonResume)
}

// Fork goes on in a copy of the session.
func (c control) Fork() error {
	s, p := c.s, c.s.talk.Persona()
	fork, err := session.Create(s.setup.Config.State.Sessions(), s.meta(p))
	if err != nil {
		return err
	}
	fork.Hide(s.secrets.JSON)
	s.plugins.noteFired()
	state := s.journal.state
	state.Parent = s.journal.ID()
	for _, m := range s.talk.History() {
		if err := fork.Append(m); err != nil {
			return errors.Join(err, fork.Close(session.End{Reason: session.ReasonError}))
		}
	}
	known, err := json.Marshal(s.journal.seen.Snapshot())
	if values := s.journal.valuesDir(); values != "" {
		err = errors.Join(err, pluginstate.Copy(values, inspect.ValuesDir(fork.Path(), fork.ID())))
	}
	if err := errors.Join(err, fork.Note(state), fork.See(known)); err != nil {
		return errors.Join(err, fork.Close(session.End{Reason: session.ReasonError}))
	}
	s.journal.Close(s.ended(session.ReasonDone))
	s.journal.use(fork, 0)
	s.journal.state, s.journal.lost = state, false
	s.refresh()
	return nil
}

// Export writes the session to a file, or returns it if the name is empty.
func (c control) Export(file string) (string, error) {
	s, format := c.s, session.FormatMarkdown
	if strings.EqualFold(filepath.Ext(file), ".json") {
		format = session.FormatJSON
	}
	meta := s.meta(s.talk.Persona())
	meta.ID, meta.Model, meta.StartedAt = s.journal.ID(), s.talk.ModelName(), s.talk.Stats().StartTime
	text, err := Export(session.Session{Meta: meta, State: s.journal.state, Messages: s.talk.History()}, format, s.secrets.Get())
	if err != nil || file == "" {
		return text, err
	}
	if err := files.SaveBelow(s.setup.Config.Workdir, file, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("exporting session: %w", err)
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(s.setup.Config.Workdir, file)
	}
	return "wrote " + file, nil
}

// meta returns the first record of a session.
func (s *Session) meta(p conversation.Persona) session.Meta {
	return session.Meta{Version: s.opts.Version, Workdir: s.setup.Config.Workdir, Agent: p.Agent, Provider: p.ProviderName, Model: p.Model}
}

// Export returns a session in a format. It removes secrets and control sequences, which do not belong in a file that others
// read and print.
func Export(s session.Session, format session.Format, secrets *redact.Redactor) (string, error) {
	return session.Export(s, format, func(text []byte) []byte {
		if format == session.FormatJSON {
			return plaintext.JSON(secrets.JSON(text))
		}
		return []byte(plaintext.Strip(secrets.String(string(text))))
	})
}
