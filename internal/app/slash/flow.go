package slash

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/base/condition"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/sdk"
)

// maxDepth is the largest depth of commands within commands.
const maxDepth = 8

// Lines is a session that runs prompts and commands.
type Lines interface {
	Setup() *setup.Setup
	State() sdk.Context
	// RunLine runs a prompt or a command. It reports whether the user asked to exit.
	RunLine(ctx context.Context, line string) (exit bool, err error)
}

type flowCommands struct{ Lines }

// FlowCommands returns the commands that run prompts and other commands.
func FlowCommands(s Lines) []command.Command {
	c := flowCommands{s}
	return []command.Command{
		{Name: "assert", Description: "Run actions once if a condition holds", Hints: []string{"[not] CONDITION", `"ACTION"...`}, Run: c.assert},
		{Name: "until", Description: "Repeat actions until a condition holds", Hints: []string{"[--max N] [not] CONDITION", `"ACTION"...`}, Run: c.until},
		{Name: "replay", Description: "Run the prompts and commands of a file", Hints: []string{"FILE"}, Run: c.replay},
	}
}

func (c flowCommands) assert(ctx context.Context, args string) (command.Result, error) {
	parsed, err := command.ParseConditional(args, false)
	if err != nil {
		return command.Result{}, err
	}
	expr, err := condition.Parse(parsed.Condition)
	if err != nil {
		return command.Result{}, err
	}
	holds, err := c.Setup().Holds(ctx, c.Setup().Features, expr, c.State())
	if err != nil {
		return command.Result{}, err
	}
	if holds == parsed.Not {
		return command.Result{Output: "not run, because this does not hold: " + parsed.String()}, nil
	}
	exit, err := c.actions(ctx, parsed.Actions)
	return command.Result{Exit: exit}, err
}

func (c flowCommands) until(ctx context.Context, args string) (command.Result, error) {
	parsed, err := command.ParseConditional(args, true)
	if err != nil {
		return command.Result{}, err
	}
	expr, err := condition.Parse(parsed.Condition)
	if err != nil {
		return command.Result{}, err
	}
	for round := 0; ; round++ {
		holds, err := c.Setup().Holds(ctx, c.Setup().Features, expr, c.State())
		if err != nil || holds != parsed.Not {
			return command.Result{}, err
		}
		if parsed.Max > 0 && round == parsed.Max {
			return command.Result{}, fmt.Errorf("%d rounds are over and this does not hold yet: %s", parsed.Max, parsed)
		}
		if exit, err := c.actions(ctx, parsed.Actions); err != nil || exit {
			return command.Result{Exit: exit}, err
		}
	}
}

// depthKey is the key of how many commands run within other commands. A command may replace all commands, so they cannot count themselves.
type depthKey struct{}

// actions runs prompts and commands one after the other. It stops at the first prompt that fails.
func (c flowCommands) actions(ctx context.Context, actions []string) (exit bool, err error) {
	depth, _ := ctx.Value(depthKey{}).(int)
	if depth >= maxDepth {
		return false, fmt.Errorf("running commands within commands: they are %d deep", maxDepth)
	}
	ctx = context.WithValue(ctx, depthKey{}, depth+1)
	for _, action := range actions {
		exit, err := c.RunLine(ctx, action)
		if err != nil {
			return false, &ConversationError{err}
		}
		if exit || ctx.Err() != nil {
			return exit, ctx.Err()
		}
	}
	return false, nil
}

func (c flowCommands) replay(ctx context.Context, args string) (command.Result, error) {
	file := strings.TrimSpace(args)
	if file == "" {
		return command.Result{}, errors.New("replaying: name a file with a YAML list of prompts and commands, or one of them per line")
	}
	// Each line is sent to the model, so a link that a tool created must not choose the file.
	data, err := files.ReadPathBelow(c.Setup().Config.Workdir, file, files.MaxText)
	if err != nil {
		return command.Result{}, fmt.Errorf("replaying: %w", err)
	}
	exit, err := c.actions(ctx, replayed(data))
	return command.Result{Exit: exit}, err
}

// replayed parses a YAML list of texts. If data is not such a list, every line that is neither empty nor a comment is a prompt.
func replayed(data []byte) []string {
	var list []string
	if yaml.Unmarshal(data, &list) == nil && len(list) > 0 {
		return list
	}
	list = nil
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list
}
