package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/command"
	"github.com/idelchi/aura/internal/condition"
	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/sdk"
)

// maxDepth is how deep commands may run within commands.
const maxDepth = 8

// flowCommands run prompts and other commands.
func (a *App) flowCommands() []command.Command {
	return []command.Command{
		{Name: "assert", Description: "Run actions once if a condition holds", Hints: []string{"[not] CONDITION", `"ACTION"...`}, Run: a.cmdAssert},
		{Name: "until", Description: "Repeat actions until a condition holds", Hints: []string{"[--max N] [not] CONDITION", `"ACTION"...`}, Run: a.cmdUntil},
		{Name: "replay", Description: "Take the prompts and commands of a file", Hints: []string{"FILE"}, Run: a.cmdReplay},
	}
}

// holds evaluates a condition.
func (a *App) holds(ctx context.Context, c condition.Expr, state sdk.Context) (bool, error) {
	return c.Eval(ctx, host.ConditionState(state, a.cfg.Workdir, runCondition(a.commandEnv())))
}

func (a *App) cmdAssert(ctx context.Context, args string) (command.Result, error) {
	c, err := command.ParseConditional(args, false)
	if err != nil {
		return command.Result{}, err
	}
	expr, err := condition.Parse(c.Condition)
	if err != nil {
		return command.Result{}, err
	}
	holds, err := a.holds(ctx, expr, a.talk.Context())
	if err != nil {
		return command.Result{}, err
	}
	if holds == c.Not {
		return command.Result{Output: "not run, for this does not hold: " + c.String()}, nil
	}
	exit, err := a.actions(ctx, c.Actions)
	return command.Result{Exit: exit}, err
}

func (a *App) cmdUntil(ctx context.Context, args string) (command.Result, error) {
	c, err := command.ParseConditional(args, true)
	if err != nil {
		return command.Result{}, err
	}
	expr, err := condition.Parse(c.Condition)
	if err != nil {
		return command.Result{}, err
	}
	for round := 0; ; round++ {
		holds, err := a.holds(ctx, expr, a.talk.Context())
		if err != nil || holds != c.Not {
			return command.Result{}, err
		}
		if c.Max > 0 && round == c.Max {
			return command.Result{}, fmt.Errorf("%d rounds are over and this does not hold yet: %s", c.Max, c)
		}
		if exit, err := a.actions(ctx, c.Actions); err != nil || exit {
			return command.Result{Exit: exit}, err
		}
	}
}

// actions takes prompts and commands one after the other. A prompt that fails ends them.
func (a *App) actions(ctx context.Context, actions []string) (exit bool, err error) {
	if a.depth >= maxDepth {
		return false, fmt.Errorf("running commands within commands: they are %d deep", maxDepth)
	}
	a.depth++
	defer func() { a.depth-- }()
	for _, action := range actions {
		exit, err := a.Take(ctx, action)
		if err != nil {
			return false, toldError{err}
		}
		if exit || ctx.Err() != nil {
			return exit, ctx.Err()
		}
	}
	return false, nil
}

func (a *App) cmdReplay(ctx context.Context, args string) (command.Result, error) {
	file := strings.TrimSpace(args)
	if file == "" {
		return command.Result{}, errors.New("replaying: name a file with a YAML list of prompts and commands, or one of them per line")
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(a.cfg.Workdir, file)
	}
	data, err := files.Read(file, files.MaxText)
	if err != nil {
		return command.Result{}, fmt.Errorf("replaying: %w", err)
	}
	exit, err := a.actions(ctx, replayed(data))
	return command.Result{Exit: exit}, err
}

// replayed reads a YAML list of texts, or else a prompt per line that is neither empty nor a comment.
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
