package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

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

// Compacted records that the older messages were replaced by a summary. It never fails.
func (j *journal) Compacted(summary string, kept int) error {
	if j.lost {
		return nil
	}
	m := llm.Message{Role: llm.RoleUser, Content: summary, Synthetic: true, CreatedAt: time.Now()}
	if err := j.Compact(m, kept); err != nil {
		j.lose(err)
	}
	return nil
}

// openJournal keeps the session in the project's home if there is one, else in the user's. Without either it is not kept, and
// the user is told. It returns the messages of a session that is resumed.
func (a *App) openJournal(meta session.Meta) ([]llm.Message, error) {
	a.journal = &journal{tell: func(text string) { a.notice("", text) }}
	home := a.cfg.Project
	if info, err := os.Stat(home); err != nil || !info.IsDir() {
		home = a.cfg.User
	}
	if a.opts.Resume != "" || a.opts.Continue {
		return a.resume(home)
	}
	if home == "" {
		a.notice("", "this session is not saved: there is neither a project's .aura nor a home (see --home)")
		return nil, nil
	}
	var err error
	a.journal.Journal, err = session.Create(filepath.Join(home, "sessions"), meta)
	if err != nil {
		a.notice("", fmt.Sprintf("this session is not saved: %v", err))
	}
	return nil, nil
}

// resume opens a saved session again: by its id from any home, or the newest one of this home.
func (a *App) resume(home string) ([]llm.Message, error) {
	dirs := []string{filepath.Join(home, "sessions")}
	if a.opts.Resume != "" {
		dirs = nil
		for _, h := range a.cfg.Homes {
			dirs = append(dirs, filepath.Join(h.Dir, "sessions"))
		}
	}
	found, err := session.Find(a.opts.Resume, dirs...)
	if err != nil {
		return nil, err
	}
	var saved session.Session
	a.journal.Journal, saved, err = session.Reopen(found.Path)
	if err != nil {
		return nil, err
	}
	if saved.Torn {
		a.notice("", "the last message of the session was not written completely and is left out")
	}
	return saved.Messages, nil
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
	case errors.Is(err, conversation.ErrStepLimit), errors.Is(err, conversation.ErrBudget):
		return session.ReasonLimit
	default:
		return session.ReasonError
	}
}
