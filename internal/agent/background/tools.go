package background

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/idelchi/aura/internal/agent/tool"
)

// The names of the tools.
const (
	OutputName = "BashOutput"
	KillName   = "BashKill"
)

const idProperty = `"id":{"type":"string","minLength":1,"description":"the id that Bash returned"}`

// Names lists the names of the tools.
func Names() []string { return []string{OutputName, KillName} }

// Tools returns the tools with which the model looks at background commands and ends them.
func (s *Set) Tools() []tool.Tool {
	return []tool.Tool{
		setTool{tool.Definition{
			Name: OutputName, Source: tool.SourceBuiltin, Parallel: true,
			Description: "Return what a background command has printed since the last look, and whether it still runs.",
			Parameters: json.RawMessage(`{"type":"object","properties":{` + idProperty +
				`,"filter":{"type":"string","maxLength":1000,"description":"a regular expression (RE2); other lines are dropped for good"}},` +
				`"required":["id"],"additionalProperties":false}`),
		}, s.outputOf},
		setTool{tool.Definition{
			Name: KillName, Source: tool.SourceBuiltin,
			Description: "End a background command and everything that it started.",
			Parameters:  json.RawMessage(`{"type":"object","properties":{` + idProperty + `},"required":["id"],"additionalProperties":false}`),
		}, s.kill},
	}
}

// setTool is one of the tools. They differ in their definitions and in what they do.
type setTool struct {
	definition tool.Definition
	do         func(args map[string]any) (string, error)
}

func (t setTool) Definition() tool.Definition { return t.definition }

// Execute does not wait for the command, except for its end when it is killed.
func (t setTool) Execute(_ context.Context, call tool.Call) (string, error) { return t.do(call.Args) }

// outputOf returns what a command has printed since the last look.
func (s *Set) outputOf(args map[string]any) (string, error) {
	id, _ := args["id"].(string)
	var filter *regexp.Regexp
	if text, _ := args["filter"].(string); text != "" {
		var err error
		if filter, err = regexp.Compile(text); err != nil {
			return "", fmt.Errorf("reading filter: %w", err)
		}
	}
	t, err := s.find(id)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	text := strings.TrimRight(t.output.takeNew(filter), "\n")
	if text == "" {
		text = "[no new output]"
		if filter != nil {
			text = "[no new output that matches]"
		}
	}
	head := fmt.Sprintf("%s %s", t.id, t.state())
	if t.output.full != "" {
		head += "\n" + t.output.full
	}
	return head + "\n" + text, nil
}

// kill ends a command.
func (s *Set) kill(args map[string]any) (string, error) {
	id, _ := args["id"].(string)
	t, err := s.find(id)
	if err != nil {
		return "", err
	}
	select {
	case <-t.done:
		return "", errors.New("ending background command " + id + ": it has ended already")
	default:
	}
	if _, err := s.Kill(id); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s was killed, with everything that it started", id), nil
}
