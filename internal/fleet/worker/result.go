package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/queue"
	"github.com/idelchi/aura/internal/fleet/workspace"
	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/sdk"
)

// signalled are the exit codes of an aura that a signal ended. Whoever ends the worker may also have ended its child.
var signalled = []int{129, 130, 143}

var errInterrupted = errors.New("somebody ended the process of the task by a signal")

// result makes the result of a task from what its child said and left. It returns an error if the task must be run again.
func (t *task) result(ctx context.Context, r fleet.Result, ended error) (fleet.Result, error) {
	t.watch.mu.Lock()
	heard, at := t.watch.said, t.watch.at
	t.watch.mu.Unlock()
	code, exited := process.ExitCode(ended)
	timedOut := errors.Is(ended, errTimeout)
	overCost := errors.Is(ended, errCost)
	if !exited && !timedOut && !overCost {
		return r, ended
	}
	if slices.Contains(signalled, code) {
		return r, errInterrupted
	}
	r.Exit, r.Status, r.Requests = code, status(code), at.requests
	if heard.provider != "" {
		r.Provider, r.Model = heard.provider, heard.model
	}
	if c := heard.counted; c != nil {
		var err error
		if r.Stats, err = json.Marshal(c.Stats); err != nil {
			return r, fmt.Errorf("writing the statistics of the task: %w", err)
		}
		r.Tokens = c.Stats.TokensIn + c.Stats.TokensOut
		if r.CostKnown = c.CostUSD != nil; r.CostKnown {
			r.CostUSD = *c.CostUSD
		}
	}
	r.Final = cut(heard.final, fleet.MaxFinal)
	switch {
	case timedOut:
		r.Status, r.Class, r.Error = fleet.StatusTimeout, string(fleet.StatusTimeout), ended.Error()
	case overCost:
		r.Status, r.Class, r.Error = fleet.StatusLimit, fleet.ClassLimit, ended.Error()
	case code == 0 && at.failed != "":
		// The prompt failed under an earlier worker.
		r.Exit, r.Status, r.Error = 1, fleet.StatusFailed, at.failed
		r.Class = cmp.Or(at.class, string(r.Status))
	case code != 0:
		r.Error = heard.errorText
		if r.Error == "" {
			r.Error = strings.TrimSpace(t.watch.stderr.String())
		}
		r.Class = cmp.Or(heard.errorClass, string(r.Status))
		if heard.errorClass == sdk.ErrorTypeRateLimit {
			return r, &slowError{err: errors.New(r.Error)}
		}
		if ownFault(errors.New(r.Error)) || t.w.healthy() != nil {
			return r, fmt.Errorf("the task failed on a full disk: %s", r.Error)
		}
	}
	// What a task left is brought back even if the worker ended its child.
	store, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	err := t.bring(store, &r, at.session)
	return r, err
}

// bring stores the patch, the journal and the collected files of a task.
func (t *task) bring(ctx context.Context, r *fleet.Result, id string) error {
	name := fmt.Sprintf("%s.result.%s.%d.", t.Key(), t.w.ID, t.Progress.Attempt)
	patch, err := t.space.Patch(ctx)
	var large *workspace.TooLargeError
	switch {
	case errors.As(err, &large):
		r.Status, r.Class, r.Error = fleet.StatusFailed, fleet.ClassTooLarge, err.Error()
	case err != nil && (ctx.Err() != nil || ownFault(err)):
		return err
	case err != nil:
		r.Notes = append(r.Notes, err.Error())
	default:
		if r.Patch, err = t.w.Queue.PutBlob(ctx, name+"patch", patch); err != nil {
			return err
		}
	}
	if path, err := t.journal(id); err == nil {
		journal, err := files.ReadNoFollow(path, fleet.MaxBlob)
		if err != nil {
			r.Notes = append(r.Notes, fmt.Sprintf("the journal is left out: %v", err))
		} else if r.Journal, err = t.w.Queue.PutBlob(ctx, name+"journal", journal); err != nil {
			return err
		}
	}
	found, notes, err := t.space.Collect(t.Collect)
	if err != nil {
		return err
	}
	r.Notes = append(r.Notes, notes...)
	room := queue.FilesInline
	for i, f := range found {
		blob, err := t.w.Queue.PutFile(ctx, fmt.Sprintf("%sfile.%d", name, i), f.Data, room)
		if err != nil {
			return err
		}
		room -= len(blob.Data)
		r.Files = append(r.Files, fleet.File{Path: f.Path, Blob: blob})
	}
	return nil
}

// cut shortens a text and says so.
func cut(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + fmt.Sprintf("\n… [%d bytes left out; the journal has them]", len(text)-most)
}
