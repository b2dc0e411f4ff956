// Package condition is the small language that decides whether a plugin's hooks fire and what /assert does: terms
// such as context_above:70 or not todo_done, joined with and. An expression is parsed once and evaluated against a
// snapshot of the session.
package condition

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ShellTimeout is how long a bash: term may run.
const ShellTimeout = 120 * time.Second

// Expr is a parsed condition. It never changes after Parse. The zero value is always true.
type Expr struct {
	source string
	terms  []term
}

// term is one test. Which of number and text is set depends on the name.
type term struct {
	name    string
	negated bool
	number  float64
	text    string
}

// Model is what the model terms look at. Zero fields mean that the model has not been resolved.
type Model struct {
	Name          string
	ContextLength int
	// ParameterCount is the number of parameters, not billions of them.
	ParameterCount int64
	Capabilities   []string
}

// State is the snapshot that an expression is evaluated against.
type State struct {
	TodoTotal, TodoPending, TodoInProgress int

	Auto bool
	// ContextPercent is how full the context window is, 0 to 100.
	ContextPercent float64

	Messages, ToolErrors, ToolCalls, Turns, Compactions, Iteration, TokensTotal int

	Model Model
	// Workdir is what relative paths of exists: are taken from, and where bash: runs.
	Workdir string
	// Shell runs a command line for bash: and tells whether it exited with 0. It must end when ctx does.
	Shell func(ctx context.Context, workdir, command string) (bool, error)
}

// String returns the expression as it was written.
func (e Expr) String() string { return e.source }

// Commands are the command lines of the bash: terms, in order.
func (e Expr) Commands() []string {
	var out []string

	for _, t := range e.terms {
		if t.name == shellTerm {
			out = append(out, t.text)
		}
	}

	return out
}

// shellTerm is the name of the term that runs a command line.
const shellTerm = "bash"

// IsZero tells whether the expression holds no term and so is always true.
func (e Expr) IsZero() bool { return len(e.terms) == 0 }

// Eval tells whether all terms hold. It goes from left to right and stops at the first that does not, so that a
// bash: term further on is not run in vain.
func (e Expr) Eval(ctx context.Context, s State) (bool, error) {
	for _, t := range e.terms {
		holds, err := vocabulary[t.name].test(ctx, &s, t)
		if err != nil {
			return false, fmt.Errorf("evaluating condition %q: %w", e.source, err)
		}

		if holds == t.negated {
			return false, nil
		}
	}

	return true, nil
}

func runShell(ctx context.Context, s *State, t term) (bool, error) {
	if s.Shell == nil {
		return false, fmt.Errorf("running %q: no shell is available here", t.text)
	}

	limited, cancel := context.WithTimeout(ctx, ShellTimeout)
	defer cancel()

	ok, err := s.Shell(limited, s.Workdir, t.text)
	if ctx.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
		return false, fmt.Errorf("running %q: not finished after %s", t.text, ShellTimeout)
	}

	if err != nil {
		return false, fmt.Errorf("running %q: %w", t.text, err)
	}

	return ok, nil
}
