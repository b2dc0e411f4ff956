package slash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/prompt"
)

// PromptSource is a session with MCP servers that offer prompts.
type PromptSource interface {
	Prompts() []mcp.Prompt
	// FillPrompt fills in a prompt with its arguments. Files that the model does not take are described in the text.
	FillPrompt(ctx context.Context, p mcp.Prompt, args map[string]string) (mcp.Prompted, error)
}

// PromptCommands returns a command SERVER:PROMPT for each prompt of the MCP servers, except those that would take the name of one of the
// other commands. left names what is omitted.
func PromptCommands(s PromptSource, others []command.Command) (out []command.Command, left []string) {
	taken := map[string]bool{}
	for _, p := range s.Prompts() {
		name := PromptName(p)
		if taken[name] || slices.ContainsFunc(others, func(o command.Command) bool { return o.Answers(name) }) {
			left = append(left, fmt.Sprintf("prompt %q of MCP server %q is left out: there is another command /%s", p.Name, p.Server, name))
			continue
		}
		taken[name] = true
		out = append(out, promptCommand(s, name, p))
	}
	return out, left
}

// PromptName returns the name of the command for a prompt. What cannot be part of a name is replaced.
func PromptName(p mcp.Prompt) string {
	return p.Server + ":" + strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_:.", r) {
			return r
		}
		return '_'
	}, p.Name)
}

func promptCommand(s PromptSource, name string, p mcp.Prompt) command.Command {
	var hints []string
	var details strings.Builder
	for _, a := range p.Arguments {
		hint := "[" + a.Name + "]"
		if a.Required {
			hint = "<" + a.Name + ">"
		}
		hints = append(hints, hint)
		if a.About != "" {
			fmt.Fprintf(&details, "%s: %s\n", a.Name, strings.Join(strings.Fields(a.About), " "))
		}
	}
	return command.Command{
		Name: name, Description: p.About, Hints: hints, Details: details.String(), Source: command.SourceMCP, Origin: p.Server,
		Run: func(ctx context.Context, typed string) (command.Result, error) {
			args, err := PromptArguments(p.Arguments, typed)
			if err != nil {
				return command.Result{}, err
			}
			filled, err := s.FillPrompt(ctx, p, args)
			if err != nil {
				return command.Result{}, err
			}
			// The text is the server's: it must not attach files of the user.
			out := command.Result{Output: prompt.Escape(filled.Text), Forward: true}
			for _, f := range filled.Files {
				out.Files = append(out.Files, command.File{Name: f.Name, Data: f.Data})
			}
			return out, nil
		},
	}
}

// PromptArguments parses the arguments of a prompt. NAME=VALUE sets the argument of that name. Other words are the values of the remaining
// arguments, in their order; the last argument takes all words that are left.
func PromptArguments(declared []mcp.Argument, typed string) (map[string]string, error) {
	out := map[string]string{}
	var plain []string
	for _, word := range prompt.Words(typed) {
		name, value, named := strings.Cut(word, "=")
		if named && slices.ContainsFunc(declared, func(a mcp.Argument) bool { return a.Name == name }) {
			out[name] = value
			continue
		}
		plain = append(plain, word)
	}
	free := slices.DeleteFunc(slices.Clone(declared), func(a mcp.Argument) bool { _, set := out[a.Name]; return set })
	if len(free) == 0 && len(plain) > 0 {
		return nil, fmt.Errorf("reading %q: the prompt takes %s", plain[0], counted(len(declared)))
	}
	for i, word := range plain {
		if i >= len(free) {
			out[free[len(free)-1].Name] += " " + word
			continue
		}
		out[free[i].Name] = word
	}
	var missing []string
	for _, a := range declared {
		if _, set := out[a.Name]; a.Required && !set {
			missing = append(missing, a.Name)
		}
	}
	if len(missing) > 0 {
		return nil, errors.New("it needs " + strings.Join(missing, ", ") + "; write the values after the command, or NAME=VALUE")
	}
	return out, nil
}

func counted(n int) string {
	switch n {
	case 0:
		return "no arguments"
	case 1:
		return "one argument"
	default:
		return fmt.Sprintf("%d arguments", n)
	}
}
