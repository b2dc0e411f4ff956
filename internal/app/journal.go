package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/conversation"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/session"
)

// journal is a session's journal that can be lost without ending the conversation: a disk that is full is no reason to stop
// work. The user is told once, and what was written before stays as it is.
type journal struct {
	*session.Journal
	tell func(text string)
	lost bool
}

// Append never fails.
func (j *journal) Append(m llm.Message) error {
	if j.lost {
		return nil
	}
	if err := j.Journal.Append(m); err != nil {
		j.lose(err)
	}
	return nil
}

func (j *journal) lose(err error) {
	j.lost = true
	j.tell(fmt.Sprintf("this session is not saved from here on: %v", err))
}

// Close completes the journal, unless it was lost.
func (j *journal) Close(end session.End) {
	if j == nil || j.lost {
		return
	}
	if err := j.Journal.Close(end); err != nil {
		j.lose(err)
	}
}

// openJournal keeps the session in the project's home if there is one, else in the user's. Without either it is not kept, and
// the user is told.
func (a *App) openJournal(meta session.Meta) {
	a.journal = &journal{tell: func(text string) { a.notice("", text) }}
	home := a.cfg.Project
	if info, err := os.Stat(home); err != nil || !info.IsDir() {
		home = a.cfg.User
	}
	if home == "" {
		a.notice("", "this session is not saved: there is neither a project's .aura nor a home (see --home)")
		return
	}
	var err error
	a.journal.Journal, err = session.Create(filepath.Join(home, "sessions"), meta)
	if err != nil {
		a.notice("", fmt.Sprintf("this session is not saved: %v", err))
	}
}

// Ender is a cause of a context's end that knows how a session ended by it is to be called.
type Ender interface {
	error
	Reason() session.Reason
}

// ReasonOf says why a session ended that returned err.
func ReasonOf(ctx context.Context, err error) session.Reason {
	var ender Ender
	switch {
	case err == nil:
		return session.ReasonDone
	case errors.As(context.Cause(ctx), &ender):
		return ender.Reason()
	case ctx.Err() != nil:
		return session.ReasonInterrupted
	case errors.Is(err, conversation.ErrStepLimit):
		return session.ReasonLimit
	default:
		return session.ReasonError
	}
}
