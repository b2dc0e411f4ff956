package condition

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// argument is the kind of argument after the colon of a term.
type argument int

const (
	noArgument argument = iota
	wholeNumber
	decimalNumber
	capability
	plainText
	commandLine
)

// entry is one word of the language.
type entry struct {
	argument argument
	// usage is the name of the argument in messages.
	usage string
	test  func(ctx context.Context, s *State, t term) (bool, error)
}

// capabilities holds the arguments of model_has.
var capabilities = []string{
	"audio", "context_override", "embedding", "files", "reranking", "search", "thinking", "thinking_levels", "tools", "vision",
}

// vocabulary holds every word of the language.
var vocabulary = map[string]entry{
	"auto":         boolean(func(s *State) bool { return s.Auto }),
	"todo_empty":   boolean(func(s *State) bool { return s.TodoTotal == 0 }),
	"todo_pending": boolean(func(s *State) bool { return s.TodoPending+s.TodoInProgress > 0 }),
	"todo_done": boolean(func(s *State) bool {
		return s.TodoTotal > 0 && s.TodoPending+s.TodoInProgress == 0
	}),

	"context_above": above(decimalNumber, func(s *State) float64 { return s.ContextPercent }),
	"context_below": below(decimalNumber, func(s *State) float64 { return s.ContextPercent }),

	"history_gt":     above(wholeNumber, func(s *State) float64 { return float64(s.Messages) }),
	"history_lt":     below(wholeNumber, func(s *State) float64 { return float64(s.Messages) }),
	"tool_errors_gt": above(wholeNumber, func(s *State) float64 { return float64(s.ToolErrors) }),
	"tool_errors_lt": below(wholeNumber, func(s *State) float64 { return float64(s.ToolErrors) }),
	"tool_calls_gt":  above(wholeNumber, func(s *State) float64 { return float64(s.ToolCalls) }),
	"tool_calls_lt":  below(wholeNumber, func(s *State) float64 { return float64(s.ToolCalls) }),
	"turns_gt":       above(wholeNumber, func(s *State) float64 { return float64(s.Turns) }),
	"turns_lt":       below(wholeNumber, func(s *State) float64 { return float64(s.Turns) }),
	"compactions_gt": above(wholeNumber, func(s *State) float64 { return float64(s.Compactions) }),
	"compactions_lt": below(wholeNumber, func(s *State) float64 { return float64(s.Compactions) }),
	"iteration_gt":   above(wholeNumber, func(s *State) float64 { return float64(s.Iteration) }),
	"iteration_lt":   below(wholeNumber, func(s *State) float64 { return float64(s.Iteration) }),

	"tokens_total_gt": above(wholeNumber, func(s *State) float64 { return float64(s.TokensTotal) }),
	"tokens_total_lt": below(wholeNumber, func(s *State) float64 { return float64(s.TokensTotal) }),

	"model_context_gt": resolved(above(wholeNumber, contextLength), contextLength),
	"model_context_lt": resolved(below(wholeNumber, contextLength), contextLength),
	"model_params_gt":  resolved(above(decimalNumber, billions), billions),
	"model_params_lt":  resolved(below(decimalNumber, billions), billions),

	"model_has": {capability, "<capability>", func(_ context.Context, s *State, t term) (bool, error) {
		return slices.Contains(s.Model.Capabilities, t.text), nil
	}},
	"model_is": {plainText, "<name>", func(_ context.Context, s *State, t term) (bool, error) {
		return s.Model.Name != "" && strings.EqualFold(s.Model.Name, t.text), nil
	}},

	"exists":  {plainText, "<path>", exists},
	shellTerm: {commandLine, "<command>", runShell},
}

// Names returns all words of the language, sorted.
func Names() []string { return slices.Sorted(maps.Keys(vocabulary)) }

func boolean(holds func(*State) bool) entry {
	return entry{test: func(_ context.Context, s *State, _ term) (bool, error) { return holds(s), nil }}
}

func above(arg argument, value func(*State) float64) entry {
	return entry{arg, "<number>", func(_ context.Context, s *State, t term) (bool, error) {
		return value(s) > t.number, nil
	}}
}

func below(arg argument, value func(*State) float64) entry {
	return entry{arg, "<number>", func(_ context.Context, s *State, t term) (bool, error) {
		return value(s) < t.number, nil
	}}
}

// resolved makes a comparison false while its value is zero, which means that the model is not resolved. For example,
// model_params_lt:10 must not match before that.
func resolved(e entry, value func(*State) float64) entry {
	compare := e.test
	e.test = func(ctx context.Context, s *State, t term) (bool, error) {
		if value(s) == 0 {
			return false, nil
		}

		return compare(ctx, s, t)
	}

	return e
}

func contextLength(s *State) float64 { return float64(s.Model.ContextLength) }

func billions(s *State) float64 { return float64(s.Model.ParameterCount) / 1e9 }

func exists(_ context.Context, s *State, t term) (bool, error) {
	path := filepath.FromSlash(t.text)
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.Workdir, path)
	}

	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return false, nil
	}

	if err != nil {
		return false, fmt.Errorf("looking for %q: %w", t.text, err)
	}

	return true, nil
}
