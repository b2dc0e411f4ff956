package inspect

import (
	"context"
	"errors"
	"fmt"

	"github.com/idelchi/aura/internal/agent/checkpoint"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/settings/config"
)

// RestoreOptions says what of a session is brought back.
type RestoreOptions struct {
	// Prompt is the number of the prompt, counted from 1; 0 undoes the last rewind of files.
	Prompt int
	// Files and Conversation say what is brought back. Others includes files that others changed since.
	Files, Conversation, Others bool
	// DryRun changes nothing.
	DryRun bool
}

// Restored says what was brought back, or would be.
type Restored struct {
	// Prompt is the text of the prompt; empty for an undo.
	Prompt string
	// Removed is the number of messages that are removed.
	Removed int
	Plan    checkpoint.Plan
	// Result is empty for a dry run.
	Result checkpoint.Result
}

// RestoreSession brings the files or the conversation of a saved session back to the state before a prompt. It fails with session.ErrOpen if
// an aura process has the session open.
func RestoreSession(ctx context.Context, c *config.Config, found session.Summary, o RestoreOptions) (out Restored, err error) {
	saved, err := session.Load(found.Path)
	if err != nil {
		return out, err
	}
	prompts, keep := session.Prompts(saved.Messages), 0
	if o.Prompt > len(prompts) {
		return out, fmt.Errorf("returning to prompt %d: there are %d", o.Prompt, len(prompts))
	}
	var j *session.Journal
	if !o.DryRun {
		// The session must not change meanwhile.
		if j, _, err = session.Reopen(found.Path); err != nil {
			return out, err
		}
		defer func() { err = errors.Join(err, j.Close(session.End{Reason: session.ReasonDone})) }()
	} else if session.IsOpen(found.Path) {
		return out, fmt.Errorf("returning to prompt %d: %w", o.Prompt, session.ErrOpen)
	}
	if o.Prompt > 0 {
		keep = prompts[o.Prompt-1].Index
		out.Prompt = prompts[o.Prompt-1].Text
	}
	if o.Files {
		if err := restoreFiles(ctx, saved, RewindDir(found.Path, found.ID), prompts, o, &out); err != nil {
			return out, err
		}
	}
	if o.Conversation && o.Prompt > 0 {
		out.Removed = len(saved.Messages) - keep
		if !o.DryRun {
			return out, j.Rewind(keep)
		}
	}
	return out, nil
}

// restoreFiles brings the files back.
func restoreFiles(ctx context.Context, saved session.Session, dir string, prompts []session.Prompt, o RestoreOptions, out *Restored) (err error) {
	if !checkpoint.Exists(dir) {
		if o.Prompt == 0 {
			return errors.New("undoing a rewind of files: the session has changed none")
		}
		return nil
	}
	store, err := checkpoint.Open(dir, saved.Meta.Workdir, checkpoint.DefaultLimits())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if o.Prompt == 0 {
		out.Plan, err = store.Undo(ctx)
	} else {
		id, ok, first := store.First(prompts[o.Prompt-1].At)
		if first != nil || !ok {
			return first
		}
		out.Plan, err = store.Plan(ctx, id)
	}
	if err != nil || o.DryRun {
		return err
	}
	out.Result, err = store.Restore(ctx, out.Plan, o.Others)
	return err
}
