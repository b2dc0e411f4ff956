// Package slash implements aura's built-in slash commands. Each group of commands states in a small interface what it uses of a session. A
// method that fails changes nothing. Without a session, the commands can be listed but not run.
package slash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/prompt"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/sdk"
)

// Current is the present state of a session.
type Current interface {
	// Setup returns the setup of the current role.
	Setup() *setup.Setup
	Persona() conversation.Persona
	State() sdk.Context
}

// ConversationError is a failure of the conversation within a command. It has already been reported to the user.
type ConversationError struct{ Err error }

func (e *ConversationError) Error() string { return e.Err.Error() }

func (e *ConversationError) Unwrap() error { return e.Err }

// ReportedError is a failure of a command that an event has already reported.
type ReportedError struct{ Err error }

func (e *ReportedError) Error() string { return e.Err.Error() }

func (e *ReportedError) Unwrap() error { return e.Err }

// run runs a slash command. It receives the text after the name and returns the text to show.
type run = func(ctx context.Context, args string) (string, error)

// Custom returns the commands that users wrote in Markdown. Their text is sent to the model.
func Custom(c *config.Config) []command.Command {
	var out []command.Command
	for _, custom := range c.Commands {
		hints, details := custom.Hints, ""
		if custom.ArgumentHint != "" {
			hints = append(slices.Clone(hints), "["+strings.Trim(custom.ArgumentHint, "[]")+"]")
		}
		if custom.Model != "" {
			details += "model: " + custom.Model + "\n"
		}
		if len(custom.AllowedTools) > 0 {
			details += "written for these tools, which grants nothing: " + strings.Join(custom.AllowedTools, ", ") + "\n"
		}
		out = append(out, command.Command{
			Name: custom.Name, Description: custom.Description, Hints: hints, Details: details, Source: command.SourceMarkdown, Origin: custom.Source.File,
			Run: func(_ context.Context, args string) (command.Result, error) {
				return command.Result{
					Output: prompt.Expand(custom.Body, args), Lines: prompt.Lines(custom.Body, args), Model: custom.Model, Forward: true,
				}, nil
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

// ReloadCommands returns the command that reloads a session. reload returns a report about the plugins.
func ReloadCommands(reload func(context.Context) (string, error)) []command.Command {
	return []command.Command{
		own("reload", "Reload configuration and plugins", func(ctx context.Context, _ string) (string, error) { return reload(ctx) }),
	}
}

// ExitCommands returns the command that ends a session.
func ExitCommands() []command.Command {
	exit := func(context.Context, string) (command.Result, error) { return command.Result{Exit: true}, nil }
	return []command.Command{
		{Name: "exit", Description: "End the session", Run: exit},
		{Name: "quit", Description: "The same as /exit", Run: exit},
	}
}

// initPrompt asks for a file of instructions.
const initPrompt = `Look at this project and write AGENTS.md in its root: instructions for a coding agent that knows nothing about it. Say how to build, test
and check it, including a single test; how the code is organised, if one file alone does not show it; and which rules its authors follow that the code
alone does not show. Read what exists first: a README, an AGENTS.md or CLAUDE.md, rules of other agents, and the files of the build. If AGENTS.md exists, improve it
instead of replacing it. Be brief. Leave out what every engineer knows, and write nothing that you have not seen.`

// InitCommands returns the command that lets the model write a file of instructions.
func InitCommands() []command.Command {
	return []command.Command{{
		Name: "init", Description: "Let the model write AGENTS.md, with what it finds out about the project",
		Run: func(context.Context, string) (command.Result, error) {
			return command.Result{Output: initPrompt, Forward: true}, nil
		},
	}}
}

// HelpCommands returns the command that describes the commands of a session, which list returns.
func HelpCommands(list func() []command.Command) []command.Command {
	do := func(_ context.Context, args string) (string, error) { return help(list(), args) }
	return []command.Command{own("help", "List the commands, or describe one", do, "command")}
}

// argument returns the label of an argument as a synopsis has it. A label that is more than a name says itself what is optional.
func argument(hint string) string {
	if strings.ContainsAny(hint, `[<"`) {
		return hint
	}
	return "<" + hint + ">"
}

// help describes the commands, or the one that args names.
func help(commands []command.Command, args string) (string, error) {
	wanted := strings.TrimPrefix(strings.TrimSpace(args), "/")
	var rows [][2]string
	details := ""
	for _, known := range commands {
		if wanted != "" && known.Name != wanted {
			continue
		}
		words := []string{"/" + known.Name}
		for _, hint := range known.Hints {
			words = append(words, argument(hint))
		}
		rows = append(rows, [2]string{strings.Join(words, " "), known.Description})
		if wanted != "" {
			details = "\n" + known.Details
		}
	}
	if len(rows) == 0 {
		return "", fmt.Errorf("looking for command /%s: there is none; /help lists them", wanted)
	}
	return strings.TrimRight(plaintext.List(rows)+details, "\n"), nil
}
