// Package slash implements aura's built-in slash commands. It uses a session only through the Session interface.
package slash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/prompt"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/sdk"
)

// Session is the part of a session that commands can use. A method that fails changes nothing.
type Session interface {
	// Setup returns the setup of the current role.
	Setup() *setup.Setup
	Persona() conversation.Persona
	State() sdk.Context
	Stats() sdk.Stats
	// Models returns the usage of each model since the session began.
	Models() []conversation.ModelUse
	History() []llm.Message
	// Composition returns what fills the model's context.
	Composition() conversation.Composition
	// Choices returns the values that a command takes. It may return an error beside them.
	Choices(ctx context.Context, command string) ([]frontend.Choice, error)
	Plugins() []*host.Plugin
	Servers() []mcp.Status
	Todos() *todo.List
	Saved() Saved
	Commands() []command.Command

	// Switch changes the role from the next prompt on. The reason is one of the SDK's reasons.
	Switch(ctx context.Context, r setup.Role, reason string) error
	// Change keeps the role and changes its settings: the user's settings, or the variables of templates.
	Change(ctx context.Context, change func(*setup.Source, *setup.Role)) error
	// Reload reloads the configuration and the plugins, and returns a report about the plugins.
	Reload(ctx context.Context) (string, error)
	// Connect connects to a deferred MCP server.
	Connect(ctx context.Context, server string) error
	SetAuto(on bool)
	SetDone(on bool)
	SetVerbose(on bool)

	// Rewind removes all messages except the first keep.
	Rewind(keep int) error
	Compact(ctx context.Context) error
	ClearTodos() error
	SetTitle(title string)
	// Resume continues the saved session that matches a word, and reports whether that is a different session than before.
	Resume(ctx context.Context, word string) (other bool, err error)
	Fork() error
	// Export writes the session to a file, or returns it if that has no name.
	Export(file string) (string, error)
	// RunLine runs a prompt or a command. It reports whether the user asked to exit.
	RunLine(ctx context.Context, line string) (exit bool, err error)
}

// Saved says where a session is saved.
type Saved struct {
	// ID and Path are empty for a session that is not saved. Lost is set if saving failed and was given up.
	ID, Path string
	Lost     bool
	// Title is the session's name, or else its id.
	Title string
}

// ConversationError is a failure of the conversation within a command. It has already been reported to the user.
type ConversationError struct{ Err error }

func (e *ConversationError) Error() string { return e.Err.Error() }

func (e *ConversationError) Unwrap() error { return e.Err }

// ReportedError is a failure of a command that an event has already reported.
type ReportedError struct{ Err error }

func (e *ReportedError) Error() string { return e.Err.Error() }

func (e *ReportedError) Unwrap() error { return e.Err }

// commands implements the commands of one session.
type commands struct {
	Session
}

// run runs a slash command. It receives the text after the name and returns the text to show.
type run = func(ctx context.Context, args string) (string, error)

// Builtin returns aura's built-in commands. If s is nil, the commands can be listed but not run.
func Builtin(s Session) []command.Command {
	c := &commands{Session: s}
	return slices.Concat(c.roleCommands(), c.sessionCommands(), c.listCommands(), c.flowCommands(), c.otherCommands())
}

// Custom returns the commands that users wrote in Markdown. Their text is sent to the model.
func Custom(c *config.Config) []command.Command {
	var out []command.Command
	for _, custom := range c.Commands {
		out = append(out, command.Command{
			Name: custom.Name, Description: custom.Description, Hints: custom.Hints, Source: command.SourceMarkdown, Origin: custom.Source.File,
			Run: func(_ context.Context, args string) (command.Result, error) {
				return command.Result{Output: prompt.Expand(custom.Body, args), Forward: true}, nil
			},
		})
	}
	slices.SortFunc(out, func(a, b command.Command) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Skills returns a command for each skill whose name none of the other commands has. It sends the skill's text to the model, and what the
// user typed after the name.
func Skills(c *config.Config, others []command.Command) []command.Command {
	var out []command.Command
	for name, s := range c.Skills {
		typed, _, ok := command.Parse("/" + name)
		if !ok || typed != name || slices.ContainsFunc(others, func(o command.Command) bool { return o.Name == name }) {
			continue
		}
		out = append(out, command.Command{
			Name: name, Description: s.Description, Source: command.SourceSkill, Origin: s.Source.File,
			Run: func(_ context.Context, args string) (command.Result, error) {
				return command.Result{Output: strings.TrimSpace(setup.ReadableSkill(s).Text() + "\n\n" + args), Forward: true}, nil
			},
		})
	}
	return out
}

// own returns a built-in command. hints describe its arguments, which are optional.
func own(name, description string, do run, hints ...string) command.Command {
	for i, hint := range hints {
		hints[i] = "[" + hint + "]"
	}
	return command.Command{
		Name: name, Description: description, Hints: hints,
		Run: func(ctx context.Context, args string) (command.Result, error) {
			text, err := do(ctx, args)
			return command.Result{Output: text}, err
		},
	}
}

func (c *commands) otherCommands() []command.Command {
	return []command.Command{
		own("reload", "Reload configuration and plugins", func(ctx context.Context, _ string) (string, error) { return c.Reload(ctx) }),
		own("set", "Set a variable for the templates of prompts, or list them", c.set, "KEY=VALUE"),
		own("verbose", "Show or hide the model's thinking", c.verbose, "on|off"),
		own("help", "List the commands, or describe one", c.help, "command"),
		{Name: "exit", Description: "End the session", Run: func(context.Context, string) (command.Result, error) { return command.Result{Exit: true}, nil }},
	}
}

// argument returns the label of an argument as a synopsis has it. A label that is more than a name says itself what is optional.
func argument(hint string) string {
	if strings.ContainsAny(hint, `[<"`) {
		return hint
	}
	return "<" + hint + ">"
}

func (c *commands) help(_ context.Context, args string) (string, error) {
	wanted := strings.TrimPrefix(strings.TrimSpace(args), "/")
	var b strings.Builder
	for _, known := range c.Commands() {
		if wanted != "" && known.Name != wanted {
			continue
		}
		words := []string{"/" + known.Name}
		for _, hint := range known.Hints {
			words = append(words, argument(hint))
		}
		fmt.Fprintf(&b, "%-34s %s\n", strings.Join(words, " "), strings.Join(strings.Fields(known.Description), " "))
	}
	if b.Len() == 0 {
		return "", fmt.Errorf("looking for command /%s: there is none; /help lists them", wanted)
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

func (c *commands) set(ctx context.Context, args string) (string, error) {
	if strings.TrimSpace(args) == "" {
		return listed(c.Setup().Vars, "no variables are set"), nil
	}
	key, value, ok := strings.Cut(args, "=")
	if key = strings.TrimSpace(key); !ok || key == "" {
		return "", errors.New("setting a variable: write it as /set KEY=VALUE")
	}
	value = strings.TrimSpace(value)
	err := c.Change(ctx, func(s *setup.Source, _ *setup.Role) { s.Vars[key] = value })
	return fmt.Sprintf("%s is %q", key, value), err
}

func (c *commands) verbose(_ context.Context, args string) (string, error) {
	on, err := toggled(c.State().Features.ShowThinking, args)
	if err != nil {
		return "", err
	}
	c.SetVerbose(on)
	return "thinking is " + map[bool]string{true: "shown", false: "not shown"}[on], nil
}

// toggled parses on or off. Empty arguments invert the current state.
func toggled(now bool, args string) (bool, error) {
	switch word := strings.ToLower(strings.TrimSpace(args)); word {
	case "":
		return !now, nil
	case "on", "true":
		return true, nil
	case "off", "false":
		return false, nil
	default:
		return now, fmt.Errorf("reading %q: use on or off, or nothing to toggle", word)
	}
}
