// Package condition implements the small language that decides whether a plugin's hooks run and what /assert does. An
// expression consists of terms such as context_above:70 or not todo_done, joined with and. It is parsed once and evaluated
// against a snapshot of the session.
package condition

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ShellTimeout is the timeout of a bash: term.
const ShellTimeout = 120 * time.Second

// Expr is a parsed condition. It is immutable. The zero value is always true.
type Expr struct {
	source string
	terms  []term
}

// term is one test. Its name determines which of number and text is set.
type term struct {
	name    string
	negated bool
	number  float64
	text    string
}

// Model holds the properties that the model terms test. A zero field means that the model is not resolved.
type Model struct {
	Name          string
	ContextLength int
	// ParameterCount is the number of parameters, not in billions.
	ParameterCount int64
	Capabilities   []string
}

// State is the snapshot against which an expression is evaluated.
type State struct {
	TodoTotal, TodoPending, TodoInProgress int

	Auto bool
	// ContextPercent is how full the context window is. It is over 100 if the estimate exceeds the window.
	ContextPercent float64

	Messages, ToolErrors, ToolCalls, Turns, Compactions, Iteration, TokensTotal int

	Model Model
	// Workdir is the directory that relative paths of exists: refer to, and the working directory of bash:.
	Workdir string
	// Shell runs a command line for bash: and reports whether it exited with status 0. It must return when ctx is done.
	Shell func(ctx context.Context, workdir, command string) (bool, error)
}

// String returns the expression as it was written.
func (e Expr) String() string { return e.source }

// Commands returns the command lines of the bash: terms, in order.
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

// IsZero reports whether the expression has no terms and so is always true.
func (e Expr) IsZero() bool { return len(e.terms) == 0 }

// Eval reports whether all terms hold. It evaluates from left to right and stops at the first term that does not hold, so that
// later bash: terms are not run unnecessarily.
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
