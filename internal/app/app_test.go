package app

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/session"
)

type late struct{ error }

func (late) Reason() session.Reason { return session.ReasonTimeout }

func TestReasonOf(t *testing.T) {
	t.Parallel()
	ended := func(cause error) context.Context {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		return ctx
	}
	rows := []struct {
		name string
		ctx  context.Context //nolint:containedctx // a row of the table
		err  error
		want session.Reason
	}{
		{"no error", t.Context(), nil, session.ReasonDone},
		{"an error", t.Context(), errors.New("x"), session.ReasonError},
		{"the step limit", t.Context(), fmt.Errorf("a: %w", conversation.ErrStepLimit), session.ReasonLimit},
		{"a cause that knows", ended(late{errors.New("x")}), errors.New("x"), session.ReasonTimeout},
		{"any other end", ended(nil), errors.New("x"), session.ReasonInterrupted},
	}
	for _, row := range rows {
		if got := ReasonOf(row.ctx, row.err); got != row.want {
			t.Errorf("%s: got %s, want %s", row.name, got, row.want)
		}
	}
}
