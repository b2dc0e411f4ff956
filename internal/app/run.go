package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/app/slash"
)

// running holds the cancel function of the running prompt or command, and what is reported about it to other processes of the user.
type running struct {
	mu  sync.Mutex
	end context.CancelCauseFunc

	activity activity
	// questions has what waits for an answer of the user.
	questions *questions
	// required is why the session must end, as the policy of the machine says.
	required requirement
}

// begin returns a context that Cancel ends, and a function that must be called when the work is done.
func (r *running) begin(ctx context.Context) (context.Context, func()) {
	ctx, end := context.WithCancelCause(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.end
	r.end = end
	return ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.end = before
		end(nil)
	}
}

// Cancel stops the running prompt or command.
func (s *Session) Cancel(cause error) {
	s.running.mu.Lock()
	defer s.running.mu.Unlock()
	if s.running.end != nil {
		s.running.end(cause)
	}
}

// errCancelled is why a turn ended that another process of the user cancelled.
var errCancelled = errors.New("the turn was cancelled by aura web")

// cancelTurn cancels the interaction of a turn for another process of the user. last is the number of the last turn. It refuses if the turn is
// over, because the user decided about what that turn did.
func (r *running) cancelTurn(turn, last int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.end == nil || last != turn {
		return fmt.Errorf("turn %d is over, so nothing was cancelled", turn)
	}
	r.end(errCancelled)
	return nil
}

// EndCall ends one tool call, if it runs. The turn continues.
func (s *Session) EndCall(id string) { s.talk.EndCall(id) }

// RunLine runs what the user entered.
func (s *Session) RunLine(ctx context.Context, line frontend.Line) (exit bool, err error) {
	if shell, ok := s.front.(frontend.ShellRunner); ok {
		if typed, ok := frontend.ShellCommand(line.Text); ok {
			shell.RunShell(ctx, typed)
			return false, nil
		}
	}
	return s.runPromptOrCommand(ctx, line)
}

// noFiles is the notice about files that were entered with a slash command.
const noFiles = "a slash command takes no files; those of this prompt were left out"

// runPromptOrCommand runs a line that the user may not have typed, such as one of a file. It is never for the user's shell.
func (s *Session) runPromptOrCommand(ctx context.Context, line frontend.Line) (exit bool, err error) {
	if err := s.running.required.err(); err != nil {
		return true, err
	}
	defer func() {
		if lost := s.running.required.err(); lost != nil {
			exit, err = true, lost
		}
	}()
	ctx, done := s.running.begin(s.tracer.Into(ctx))
	defer done()
	defer s.running.activity.begin()()
	defer s.plugins.noteFired()
	s.applyOutsideChanges(ctx)
	name, args, ok := command.Parse(line.Text)
	if !ok {
		return false, s.send(ctx, line.Prompt(), line.Attached...)
	}
	if line.Added != "" || len(line.Attached) > 0 {
		s.notices.show(noFiles)
	}
	return s.runCommand(ctx, name, args)
}

// runCommand runs a slash command.
func (s *Session) runCommand(ctx context.Context, name, args string) (exit bool, err error) {
	s.talk.Refresh(ctx)
	result, err := s.commands.Run(ctx, name, args)
	var conversation *slash.ConversationError
	var reported *slash.ReportedError
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.As(err, &conversation):
		return result.Exit, conversation.Err
	case errors.As(err, &reported):
		return false, nil
	case err != nil:
		s.events.send(commandFailure(err))
		return false, nil
	case result.Forward && strings.TrimSpace(result.Output) == "":
		s.notices.show("command /" + name + " has nothing to say, so nothing is sent")
		return result.Exit, nil
	case result.Forward:
		return result.Exit, s.forward(ctx, name, result)
	}
	if !result.Silent && result.Output != "" {
		s.events.send(event.Command{Name: name, Output: result.Output})
	}
	return result.Exit, nil
}

// forward sends the output of a command to the model. A model that the command names answers this prompt only. If that model cannot be had,
// the current one answers.
func (s *Session) forward(ctx context.Context, name string, result command.Result) error {
	if result.Model == "" {
		return s.sendWith(ctx, result.Output, result.Lines, filesOf(result)...)
	}
	before := s.setup.Role
	if err := s.swapRole(ctx, s.setup.RoleWithModel(result.Model), ""); err != nil {
		s.notices.show(fmt.Sprintf("command /%s names model %s, which cannot be had: %v; the current model answers", name, result.Model, err))
		return s.sendWith(ctx, result.Output, result.Lines, filesOf(result)...)
	}
	err := s.sendWith(ctx, result.Output, result.Lines, filesOf(result)...)
	if back := s.swapRole(context.WithoutCancel(ctx), before, ""); back != nil {
		s.notices.show(fmt.Sprintf("going back from the model of command /%s: %v; choose one with /model", name, back))
	}
	return err
}

// filesOf returns the files of a command as attachments.
func filesOf(of command.Result) []frontend.Attachment {
	var out []frontend.Attachment
	for _, f := range of.Files {
		out = append(out, frontend.Attachment{Data: f.Data, Name: f.Name, Output: f.Text, Status: f.About})
	}
	return out
}

// commandFailure returns the event for a failed command. It names the plugin that provides the command, if there is one.
func commandFailure(err error) event.Event {
	if e, ok := errors.AsType[*host.Error](err); ok {
		return event.PluginError{Plugin: e.Plugin, Error: err.Error(), Reported: e.Reported()}
	}
	return event.Error{Message: err.Error()}
}

// collectCommands collects the commands that are available now.
func (s *Session) collectCommands() {
	var own []command.Command
	if front, ok := s.front.(frontend.Commander); ok {
		own = front.Commands()
	}
	all := slices.Concat(builtinCommands(s), own, slash.Custom(s.setup.Config), s.plugins.commands(s))
	all = append(all, slash.Skills(s.setup.Config, all)...)
	prompts, left := slash.PromptCommands(control{s}, all)
	for _, text := range left {
		s.notices.once(text)
	}
	all = append(all, prompts...)
	var chosen map[string]string
	if !s.setup.Options.WithoutPlugins {
		chosen = s.setup.Features.Plugins.Commands
	}
	set, err := command.NewSet(chosen, func(c command.Clash) { s.notices.once(c.String()) }, all...)
	s.commands = set
	if err != nil {
		s.notices.once(err.Error())
	}
}
