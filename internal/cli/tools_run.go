package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/app/inspect"
)

// toolResult is the result of a run as JSON.
type toolResult struct {
	Tool   string `json:"tool"`
	Output string `json:"output"`
	Error  string `json:"error,omitempty"`
}

func (o *toolsOptions) run(ctx context.Context, s streams, args []string) (err error) {
	call := inspect.ToolCall{Name: args[0], Restrict: o.restrict}
	words, err := o.words(s, args[1:])
	if err != nil {
		return err
	}
	if call.Texts, call.Args, err = inspect.ParseArguments(words, o.raw); err != nil {
		return usageError{err}
	}
	box, err := o.open(ctx, s, call.Name, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	output, err := box.Run(ctx, call)
	if usage, wrong := errors.AsType[usageError](misused(err)); wrong {
		return usage
	}
	secrets := box.Secrets()
	return o.showResult(s, toolResult{Tool: call.Name, Output: secrets.String(output)}, secrets.Error(because(ctx, err)))
}

// words returns the arguments of a run. A single dash reads them from standard input.
func (o *toolsOptions) words(s streams, args []string) ([]string, error) {
	if len(args) != 1 || args[0] != "-" {
		return args, nil
	}
	raw, err := readBounded(s.in)
	if err != nil {
		return nil, fmt.Errorf("reading the arguments from standard input: %w", err)
	}
	o.raw = true
	return []string{string(raw)}, nil
}

func (o *toolsOptions) showResult(s streams, r toolResult, failure error) error {
	if o.json {
		if failure != nil {
			r.Error = failure.Error()
		}
		if err := writeJSON(s.out, r); err != nil || failure == nil {
			return err
		}
		return errShown
	}
	if r.Output != "" {
		fmt.Fprintln(s.out, strings.TrimSuffix(clean(r.Output), "\n"))
	}
	if failure != nil {
		return fmt.Errorf("tool %q failed: %w", r.Tool, failure)
	}
	return nil
}

// misused converts a mistake of the user to a usage error, and returns other errors unchanged.
func misused(err error) error {
	var unknown *inspect.UnknownToolError
	var wrong *tool.ArgumentsError
	if errors.As(err, &unknown) || errors.As(err, &wrong) {
		return usageError{err}
	}
	return err
}
