package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/agent/checkpoint"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/app/slash"
)

// rewinds keeps the files of the working directory as they were before each prompt that changes some.
type rewinds struct {
	mu    sync.Mutex
	store *checkpoint.Store
	// of is the session that the store belongs to.
	of string
	// changing is set from the first call of a prompt that may change files to the end of the prompt.
	changing bool
	// off is set once keeping files has failed: the user knows it.
	off bool
	// looked is closed when the look after the last prompt has ended; nil if there was none.
	looked chan struct{}
	// told is what the model should learn.
	told []string
	// removed are the messages that the last rewind removed, and kept how many it left.
	removed []llm.Message
	kept    int
	// files is set if the last rewind changed files.
	files bool
}

// keepFiles keeps what is needed to return to the state before a prompt. It is called before each call that may change files, and waits only
// before the first one of a prompt. It returns an error only if the user interrupts it: the call must then not run.
func (s *Session) keepFiles(ctx context.Context, status func(string)) error {
	r := &s.rewinds
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.changing || r.off {
		return nil
	}
	r.changing = true
	s.watchCommands()
	if s.confined.Wide() {
		r.off = true // the sandbox reports such a directory, and a copy of a home would hold every secret in it
		return nil
	}
	store, err := s.rewindStore()
	if err == nil && store != nil {
		// What the look after the last prompt has not seen yet would count as a change by other hands.
		err = r.await(ctx)
	}
	if err == nil && store != nil {
		stop := reportLook(status, store.Looked)
		// What background commands changed meanwhile is no change by other hands.
		err = store.Snapshot(ctx, checkpoint.Before, time.Now(), s.journal.commands.Running() > 0)
		stop()
	}
	if err != nil && ctx.Err() != nil {
		r.changing = false // nothing was kept, and nothing will be changed
		return context.Cause(ctx)
	}
	if err != nil {
		r.off = true
		s.notices.show(fmt.Sprintf("/rewind cannot restore files in this session: %v", err))
	}
	return nil
}

// lookReports is how often the user learns how far a look at the files is. One that is over before that is not reported.
const lookReports = time.Second

// reportLook reports how many files were looked at, until the function that it returns is called.
func reportLook(status func(string), looked func() int64) (stop func()) {
	if status == nil {
		return func() {}
	}
	done := make(chan struct{})
	var reporting sync.WaitGroup
	reporting.Go(func() {
		tick := time.NewTicker(lookReports)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				status(fmt.Sprintf("keeping the files as they are, for /rewind: %d so far", looked()))
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		reporting.Wait()
	}
}

// rewindStore returns the store of the present session; nil for a session that is not saved. The caller holds the lock.
func (s *Session) rewindStore() (*checkpoint.Store, error) {
	r := &s.rewinds
	id := s.journal.ID()
	if id == "" || r.store != nil && r.of == id {
		return r.store, nil
	}
	if r.store != nil {
		_ = r.store.Close() // everything in it is on disk
	}
	var err error
	r.store, err = checkpoint.Open(inspect.RewindDir(s.journal.Path(), id), s.setup.Config.Workdir, checkpoint.DefaultLimits())
	r.of = id
	return r.store, err
}

// lookAfterPrompt looks at the files once a prompt that may have changed some is answered. It does not wait.
func (r *rewinds) lookAfterPrompt() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.changing || r.store == nil || r.off {
		r.changing = false
		return
	}
	r.changing = false
	store, looked := r.store, make(chan struct{})
	r.looked = looked
	go func() {
		defer close(looked)
		// If it fails, the next look takes the changes for changes by other hands, and asks for them.
		_ = store.Snapshot(context.Background(), checkpoint.After, time.Now(), true)
	}()
}

// await waits until the look after the last prompt has ended. The caller holds the lock.
func (r *rewinds) await(ctx context.Context) error {
	if r.looked == nil {
		return nil
	}
	select {
	case <-r.looked:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// notes returns what the model should learn, once.
func (r *rewinds) notes() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.told
	r.told = nil
	return out
}

func (r *rewinds) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.await(context.Background()) // which does not end
	if r.store != nil {
		_ = r.store.Close() // everything in it is on disk
		r.store = nil
	}
}

// noteInterrupted shows which rewinds of the project's sessions were interrupted.
func (s *Session) noteInterrupted(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // nothing is kept
	}
	for _, e := range entries {
		if i, ok := checkpoint.Interrupted(filepath.Join(dir, e.Name())); ok {
			s.notices.show(fmt.Sprintf("a rewind of %d files in %s was interrupted on %s, so some of them may be as before it and some as after it; nothing is lost: "+
				"aura sessions restore %s@undo brings all of them back", i.Files, i.Tree, i.At.Local().Format(time.DateTime), e.Name()))
		}
	}
}

// errNoFiles means that no files are kept.
var errNoFiles = errors.New("no files are kept: the session is not saved, or keeping them failed")

// files returns the store of the session after the last look has ended.
func (c control) files() (*checkpoint.Store, error) {
	r := &c.s.rewinds
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.await(context.Background()) // which does not end
	store, err := c.s.rewindStore()
	if err == nil && (store == nil || r.off) {
		err = errNoFiles
	}
	return store, err
}

// PlanFiles returns what a return to the files as they were at a time would change.
func (c control) PlanFiles(ctx context.Context, at time.Time) (checkpoint.Plan, error) {
	store, err := c.files()
	if err != nil {
		return checkpoint.Plan{}, err
	}
	id, ok, err := store.First(at)
	if err != nil || !ok {
		return checkpoint.Plan{}, err
	}
	return store.Plan(ctx, id)
}

// FileContents returns a path of a plan as it was and as it is.
func (c control) FileContents(step checkpoint.Step) (checkpoint.Contents, error) {
	store, err := c.files()
	if err != nil {
		return checkpoint.Contents{}, err
	}
	return store.Contents(step)
}

// PlanUndo returns what it takes to undo the last rewind of files.
func (c control) PlanUndo(ctx context.Context) (checkpoint.Plan, error) {
	store, err := c.files()
	if err != nil {
		return checkpoint.Plan{}, err
	}
	return store.Undo(ctx)
}

// RestoreFiles carries out a plan. What confined code may not leave is moved away again.
func (c control) RestoreFiles(ctx context.Context, p checkpoint.Plan, others bool) (checkpoint.Result, error) {
	store, err := c.files()
	if err != nil {
		return checkpoint.Result{}, err
	}
	defer c.s.confined.Watching("a rewind")()
	out, err := store.Restore(ctx, p, others)
	r := &c.s.rewinds
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files = true
	if len(out.Done) > 0 {
		r.told = append(r.told, fmt.Sprintf("the user changed %d files back to an earlier state; read files again before you rely on them", len(out.Done)))
	}
	return out, err
}

// RewindPrompts removes all messages except the first keep, so that UndoPrompts can bring them back.
func (c control) RewindPrompts(keep int) error {
	removed := c.s.talk.History()[keep:]
	if err := c.Rewind(keep); err != nil {
		return err
	}
	c.s.rewinds.removed, c.s.rewinds.kept = removed, keep
	return nil
}

// ForgetRewind forgets the last rewind, because another one begins.
func (c control) ForgetRewind() {
	c.s.rewinds.removed, c.s.rewinds.kept, c.s.rewinds.files = nil, 0, false
}

// UndoPrompts brings back the messages that the last rewind removed. It returns false if there are none, or if the conversation has gone on.
func (c control) UndoPrompts() (bool, error) {
	r, s := &c.s.rewinds, c.s
	history := s.talk.History()
	if len(r.removed) == 0 || len(history) != r.kept {
		return false, nil
	}
	all := append(history, r.removed...)
	if err := s.talk.SetHistory(all); err != nil {
		return false, err
	}
	if err := s.journal.Detached(r.kept, r.removed); err != nil {
		return false, err
	}
	s.todos.Replay(r.removed)
	s.journal.keepTodos()
	r.removed = nil
	return true, nil
}

// RewoundFiles reports whether the last rewind of this run changed files.
func (c control) RewoundFiles() bool { return c.s.rewinds.files }

var _ slash.FileDiffer = control{}
