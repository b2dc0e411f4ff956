package acp

import (
	"context"
	"errors"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/sdk"
)

func (s *server) prompt(ctx context.Context, r request) {
	one, p, err := s.find(r)
	var in input
	if err == nil {
		in, err = read(p.Prompt)
	}
	if err == nil {
		ctx, cancel := context.WithCancelCause(ctx)
		err = one.enqueue(func() {
			result, err := one.turn(ctx, in)
			cancel(nil)
			one.rested()
			r.answer(result, err)
		}, cancel)
	}
	if err != nil {
		r.answer(nil, err)
	}
}

// turn runs a prompt or a slash command.
func (l *live) turn(ctx context.Context, in input) (any, error) {
	if context.Cause(ctx) != nil {
		return promptResponse{StopReason: stopCancelled}, nil //nolint:nilerr // a cancelled prompt is no error for the client
	}
	l.front.begin(frontend.IsCommand(in.text))
	exit, err := l.session.RunLine(ctx, in.line())
	reported := l.front.finish(err)
	l.sync(ctx)
	l.count()
	if exit {
		l.shut(session.ReasonDone, errClosed)
	}
	stop, failed := stopOf(ctx, err, reported)
	if failed != nil {
		return nil, failed
	}
	if err != nil && stop != stopCancelled {
		l.front.tell(err.Error())
	}
	return promptResponse{StopReason: stop, Meta: l.spent()}, nil
}

// stopOf returns why a turn ended, or the error that the client receives. class is the class of the error that the session
// reported.
func stopOf(ctx context.Context, err error, class string) (string, error) {
	switch {
	case err == nil:
		return stopEnd, nil
	case cancelled(ctx, err):
		return stopCancelled, nil
	case errors.Is(err, conversation.ErrStepLimit):
		return stopRequests, nil
	case errors.Is(err, conversation.ErrBudget):
		return stopTokens, nil
	case class == sdk.ErrorTypeContentFilter:
		return stopRefusal, nil
	case class == sdk.ErrorTypeAuth:
		return "", &Error{Code: codeAuthRequired, Message: err.Error(), Data: map[string]any{"class": class}}
	case class != "":
		return "", &Error{Code: codeInternal, Message: err.Error(), Data: map[string]any{"class": class}}
	default:
		return "", err
	}
}
