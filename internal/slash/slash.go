// Package slash has aura's own slash commands. It knows a session only by what can be asked of one.
package slash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/command"
	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/conversation"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/mcp"
	"github.com/idelchi/aura/internal/prompt"
	"github.com/idelchi/aura/internal/setup"
	"github.com/idelchi/aura/internal/todo"
	"github.com/idelchi/aura/sdk"
)

// Session is what commands can ask of a session. A method that fails leaves everything as it was.
type Session interface {
	// Setup is what the configuration decides for who answers now.
	Setup() *setup.Setup
	Persona() conversation.Persona
	State() sdk.Context
	Stats() sdk.Stats
	// Models is what was used of each model since the session began.
	Models() []conversation.ModelUse
	History() []llm.Message
	Plugins() []*host.Plugin
	Servers() []mcp.Status
	Todos() *todo.List
	Saved() Saved
	Commands() []command.Command

	// Switch makes somebody else answer from the next prompt on, for one of the SDK's reasons.
	Switch(ctx context.Context, r setup.Role, reason string) error
	// Change makes the same role answer by other settings: those of the user, or the variables of templates.
	Change(ctx context.Context, change func(*setup.Source, *setup.Role)) error
	// Reload reads configuration and plugins again, and says what became of the plugins.
	Reload(ctx context.Context) (string, error)
	// Connect connects to a deferred MCP server.
	Connect(ctx context.Context, server string) error
	SetAuto(on bool)
	SetDone(on bool)
	SetVerbose(on bool)

	// Rewind forgets all but the first messages.
	Rewind(keep int) error
	Compact(ctx context.Context) error
	ClearTodos() error
	SetTitle(title string)
	// Resume goes on with the saved session that a word means, and reports whether that is another one than before.
	Resume(ctx context.Context, word string) (other bool, err error)
	Fork() error
	// Export writes the session to a file, or returns it if that has no name.
	Export(file string) (string, error)
	// Take takes a prompt or a command. It reports whether the user asked to leave.
	Take(ctx context.Context, line string) (exit bool, err error)
}

// Saved is where a session is kept.
type Saved struct {
	// ID and Path are empty for a session that is not saved; Lost is set if that ended.
	ID, Path string
	Lost     bool
	// Title is the session's name, or its id.
	Title string
}

// ConversationError is a failure of the conversation within a command. The user knows of it already.
type ConversationError struct{ Err error }

func (e *ConversationError) Error() string { return e.Err.Error() }

func (e *ConversationError) Unwrap() error { return e.Err }

// ReportedError is a failure of a command that an event has reported already.
type ReportedError struct{ Err error }

func (e *ReportedError) Error() string { return e.Err.Error() }

func (e *ReportedError) Unwrap() error { return e.Err }

// commands are the commands of one session.
type commands struct {
	Session
	// depth counts the commands that run within others.
	depth int
}

// run is what a slash command does: it takes the text behind its name and returns what is to be shown.
type run = func(ctx context.Context, args string) (string, error)

// Builtin are aura's own commands. Without a session they can be listed and not be run.
func Builtin(s Session) []command.Command {
	c := &commands{Session: s}
	return slices.Concat(c.roleCommands(), c.sessionCommands(), c.listCommands(), c.flowCommands(), c.otherCommands())
}

// Custom are the commands that users wrote in Markdown. What they say goes to the model.
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

// own is a command of aura's own whose arguments are described by hints.
func own(name, description string, do run, hints ...string) command.Command {
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

func (c *commands) help(_ context.Context, args string) (string, error) {
	wanted := strings.TrimPrefix(strings.TrimSpace(args), "/")
	var b strings.Builder
	for _, known := range c.Commands() {
		if wanted != "" && known.Name != wanted {
			continue
		}
		name := "/" + known.Name
		if len(known.Hints) > 0 {
			name += " <" + strings.Join(known.Hints, "> <") + ">"
		}
		fmt.Fprintf(&b, "%-34s %s\n", name, strings.Join(strings.Fields(known.Description), " "))
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

// toggled reads on or off; nothing turns what is.
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
