package worker

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/queue"
	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/internal/system/state"
)

// position is how far a task is.
type position struct {
	session string
	// done is how many prompts are finished. begun reports whether the next one was answered at least once.
	done  int
	begun bool
	// requests is how many model calls were made.
	requests int
	// failed is the error of the first finished prompt that failed, and class its class.
	failed, class string
}

// said is the part of the child's events that the result needs.
type said struct {
	final           string
	errorText       string
	errorClass      string
	provider, model string
	// counted is what the session used until the end of its last prompt; nil if no prompt ended.
	counted *event.Done
}

// saidIn returns what was said in a saved session.
func saidIn(s session.Session) (said, error) {
	out := said{provider: cmp.Or(s.State.Provider, s.Meta.Provider), model: cmp.Or(s.State.Model, s.Meta.Model)}
	for _, m := range s.Messages {
		if m.Role == llm.RoleAssistant {
			out.final = m.Content
		}
	}
	if s.End == nil {
		return out, nil
	}
	stats, models, err := event.Recalled(s.End.Stats)
	if stats != nil {
		out.counted = new(event.Finished(*stats, models))
	}
	return out, err
}

const (
	// maxLine is the size of the largest event that is read, in bytes. Larger ones are not part of the log.
	maxLine = 512 << 10
	// flushAt and flushEvery say when events are sent to the queue.
	flushAt    = 128 << 10
	flushEvery = time.Second
	// settleTime is how long a turn must be over before a checkpoint is made. Turns that are shorter share one.
	settleTime = 50 * time.Millisecond
)

// watcher reads the events of a child. It sends them to the queue, and notes how far the task is.
type watcher struct {
	t      *task
	stderr *process.Tail

	mu      sync.Mutex
	line    []byte
	tooLong bool
	pending []byte
	at      position
	said    said
	last    lastWords
	// erred is set while the current prompt has failed. failed is set once it ended so: it counts as finished only if the next one
	// begins, because a worker that ends, or a provider that asks to slow down, also makes a prompt fail.
	erred, failed bool
	// due holds a value when a checkpoint shall be made.
	due chan struct{}

	// saved is what the last checkpoint contains. Only one goroutine at a time saves.
	saved      position
	savedPrint string
	n          int
}

func newWatcher(t *task, from position, before said) *watcher {
	return &watcher{t: t, at: from, said: before, saved: from, stderr: &process.Tail{Max: 4 << 10}, due: make(chan struct{}, 1)}
}

// Write takes the output of the child.
func (w *watcher) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		part := p
		if i >= 0 {
			part = p[:i]
		}
		if room := maxLine - len(w.line); len(part) > room {
			part, w.tooLong = part[:room], true
		}
		w.line = append(w.line, part...)
		if i < 0 {
			return n, nil
		}
		w.handleLine()
		w.line, w.tooLong = w.line[:0], false
		p = p[i+1:]
	}
}

// handleLine handles an event of the child. The caller holds the lock.
func (w *watcher) handleLine() {
	if w.tooLong {
		return
	}
	var e childEvent
	if json.Unmarshal(w.line, &e) != nil {
		return
	}
	w.last.hear(e)
	switch e.Type {
	case "delta":
		return // the message follows
	case "session":
		w.at.session, w.said.provider, w.said.model = e.ID, e.Provider, e.Model
	case "request":
		w.at.requests++
		if e.Iteration > 1 {
			// All results of the turn before are in the journal by now.
			w.at.begun = true
			w.wake()
		}
	case "message":
		if e.Role == "user" && w.failed {
			w.failed, w.at.begun = false, false
			w.at.done++
			if w.at.failed == "" {
				w.at.failed, w.at.class = cut(w.said.errorText, maxText), w.said.errorClass
			}
		}
		if e.Role == "assistant" {
			w.said.final = e.Content
		}
	case "error":
		w.said.errorText, w.said.errorClass, w.erred = e.Message, e.Class, true
	case "done":
		if w.failed = w.erred; !w.failed {
			w.at.done, w.at.begun = w.at.done+1, false
		}
		w.erred = false
		var counted event.Done
		if json.Unmarshal(w.line, &counted) == nil {
			w.said.counted = &counted
		}
		if w.at.done < len(w.t.Prompts) {
			w.wake()
			if w.said.exceeds(w.t.CostUSD) {
				w.t.w.end(w.t.Key(), errCost)
			}
		}
	}
	if w.pending = append(append(w.pending, w.line...), '\n'); len(w.pending) > flushAt {
		w.send()
	}
}

// exceeds reports whether the session used up the cost that its task may have; 0 is no limit.
func (s said) exceeds(limit float64) bool {
	return limit > 0 && s.counted != nil && s.counted.CostUSD != nil && *s.counted.CostUSD >= limit
}

func (w *watcher) words() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last.String()
}

func (w *watcher) wake() {
	select {
	case w.due <- struct{}{}:
	default:
	}
}

// send sends the events so far. The caller holds the lock.
func (w *watcher) send() {
	w.t.w.Queue.Publish(w.t.Key(), w.pending)
	w.pending = w.pending[:0]
}

func (w *watcher) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.send()
}

// saveProgress sends events and makes checkpoints until ctx ends. It calls lost if the task belongs to another worker. A patch that is being
// made is completed unless task ends, too: the result needs the same one.
func (w *watcher) saveProgress(ctx, task context.Context, lost func(error)) {
	ticker := time.NewTicker(flushEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			w.flush()
		case <-w.due:
			if sleep(ctx, settleTime); ctx.Err() != nil {
				return // the result has it all
			}
			if err := w.save(ctx, task); errors.Is(err, queue.ErrLost) {
				lost(queue.ErrLost)
				return
			} else if err != nil && ctx.Err() == nil {
				w.t.w.Tell(fmt.Sprintf("task %s: no checkpoint: %v", w.t.Key(), err))
			}
		}
	}
}

// sessionID is what a session can be called. The name of a journal is made from it.
var sessionID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
})

// journal returns the path of the journal of the task.
func (t *task) journal(id string) (string, error) {
	if !sessionID().MatchString(id) {
		return "", fmt.Errorf("%q is not the id of a session", id)
	}
	return filepath.Join(state.Locate(t.state(), "", t.space.Dir).Sessions(), id+session.Ext), nil
}

// save makes a checkpoint, if there is anything new. patching ends the search for changes of the workspace.
func (w *watcher) save(ctx, patching context.Context) error {
	w.mu.Lock()
	at, counted := w.at, w.said.counted
	w.mu.Unlock()
	if at.session == "" || at == w.saved || at.done == 0 && !at.begun {
		return nil
	}
	path, err := w.t.journal(at.session)
	if err != nil {
		return err
	}
	journal, err := files.ReadNoFollow(path, fleet.MaxBlob)
	if err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	var stats any
	if counted != nil {
		stats = counted.Saved()
	}
	if journal, err = session.Complete(journal, stats); err != nil {
		return err
	}
	next := fleet.Checkpoint{
		Session: at.session, Done: at.done, Begun: at.begun, Requests: at.requests, Failed: at.failed, Class: at.class, Base: w.t.space.Hash,
	}
	w.n++
	name := fmt.Sprintf("%s.checkpoint.%d.%d.", w.t.Key(), w.t.Progress.Attempt, w.n)
	if next.Journal, err = w.t.w.Queue.PutBlob(ctx, name+"journal", journal); err != nil {
		return err
	}
	print, err := w.t.space.Fingerprint()
	if err != nil {
		return err
	}
	if before := w.t.Progress.Checkpoint; before != nil && print == w.savedPrint {
		next.Patch = before.Patch
	} else {
		patch, err := w.t.space.Patch(patching)
		if err != nil {
			return err
		}
		if next.Patch, err = w.t.w.Queue.PutBlob(ctx, name+"patch", patch); err != nil {
			return err
		}
	}
	w.t.Progress.Words, w.t.Progress.Used = w.words(), w.t.used()
	if err := w.t.Checkpoint(ctx, next); err != nil {
		return err
	}
	w.saved, w.savedPrint = at, print
	return nil
}

// begins returns the workspace of the task. One that was begun at a commit is continued there, wherever its branch is by now.
func (t *task) begins() fleet.Workspace {
	out := t.Workspace
	if k := t.Progress.Checkpoint; out.Git != "" && k != nil && fleet.IsCommit(k.Base) {
		out.Ref = k.Base
	}
	return out
}

// answered reports whether all prompts of the task were answered before its last worker ended. Only its result is missing then.
func (t *task) answered() bool {
	k := t.Progress.Checkpoint
	return k != nil && !k.Begun && k.Done >= len(t.Prompts)
}

// restore brings the workspace and the journal to the last checkpoint of the task, if it has one. It returns a watcher that knows what
// happened until then.
func (t *task) restore(ctx context.Context) (*watcher, error) {
	k := t.Progress.Checkpoint
	if k == nil {
		return newWatcher(t, position{}, said{}), nil
	}
	path, err := t.journal(k.Session)
	if err != nil {
		return nil, &fault{fleet.ClassTask, err}
	}
	journal, err := t.w.Queue.Blob(ctx, k.Journal)
	if err != nil {
		return nil, fmt.Errorf("reading the checkpoint: %w", err)
	}
	patch, err := t.w.Queue.Blob(ctx, k.Patch)
	if err != nil {
		return nil, fmt.Errorf("reading the checkpoint: %w", err)
	}
	if k.Base != "" && k.Base != t.space.Hash {
		return nil, &fault{fleet.ClassWorkspace, fmt.Errorf("the changes of an earlier attempt are for the workspace at %.64s, but this one is at %s", k.Base, t.space.Hash)}
	}
	if err := t.space.Apply(ctx, patch); err != nil {
		return nil, &fault{fleet.ClassWorkspace, err}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(path, journal, 0o600); err != nil {
		return nil, err
	}
	saved, err := session.Load(path)
	if err != nil {
		return nil, &fault{fleet.ClassTask, err}
	}
	before, err := saidIn(saved)
	if err != nil {
		return nil, &fault{fleet.ClassTask, err}
	}
	at := position{session: k.Session, done: max(k.Done, 0), begun: k.Begun, requests: k.Requests, failed: k.Failed, class: k.Class}
	return newWatcher(t, at, before), nil
}
