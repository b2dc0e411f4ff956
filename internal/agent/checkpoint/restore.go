package checkpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/base/files"
)

const intentName = "intent.json"

// Intent is a rewind that began. It is removed when the rewind is complete.
type Intent struct {
	Tree string `json:"tree"`
	// To and From are the snapshots to return to and to leave.
	To   int       `json:"to"`
	From int       `json:"from"`
	At   time.Time `json:"at"`
	// Files is how many paths it changes.
	Files int `json:"files"`
}

// Interrupted returns the rewind that was interrupted in a store, if there is one.
func Interrupted(dir string) (Intent, bool) {
	var i Intent
	data, err := files.ReadNoFollow(filepath.Join(dir, intentName), 1<<20)
	if err != nil || json.Unmarshal(data, &i) != nil {
		return Intent{}, false
	}
	return i, true
}

// Result is what a rewind did.
type Result struct {
	Done []Step
	// Failed holds the paths that are not as they were, and why.
	Failed map[string]string
}

// Restore carries out a plan. With others it also changes the paths that others changed. What the paths contain now is kept, so that Undo
// can bring it back. A path that has changed since the plan was made stays.
func (s *Store) Restore(ctx context.Context, p Plan, others bool) (Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := Result{Failed: map[string]string{}}
	if p.from != s.last {
		return out, errors.New("returning to a snapshot: the files have changed since it was shown what would change; try again")
	}
	var steps []Step
	for _, step := range p.Steps {
		if !step.Others || others {
			steps = append(steps, step)
		}
	}
	intent, err := json.Marshal(Intent{Tree: s.tree, To: p.to, From: p.from, At: time.Now(), Files: len(steps)})
	if err == nil {
		err = files.Replace(filepath.Join(s.dir, intentName), intent, 0o600)
	}
	if err != nil {
		return out, fmt.Errorf("returning to a snapshot: %w", err)
	}
	s.sweep()
	s.apply(steps, out.Failed)
	for _, step := range steps {
		if _, failed := out.Failed[step.Path]; !failed {
			out.Done = append(out.Done, step)
		}
	}
	// The rewind is complete even if ctx has ended meanwhile.
	if err := s.takeSnapshot(context.WithoutCancel(ctx), record{Kind: Restored, At: time.Now(), Ours: true, From: p.from}); err != nil {
		return out, fmt.Errorf("looking at the files after a rewind: %w", err)
	}
	return out, os.Remove(filepath.Join(s.dir, intentName))
}

// sweep removes what an interrupted rewind left beside the files.
func (s *Store) sweep() {
	for _, name := range s.scan.strays {
		if parent, base, err := files.ParentBelow(s.tree, filepath.FromSlash(name), 0); err == nil {
			_ = parent.Remove(base) // it is no file of the user
			_ = parent.Close()
		}
	}
}

// apply carries out the steps: what must go first, then directories, then files and links. The modes of directories come last, because some
// forbid changes.
func (s *Store) apply(steps []Step, failed map[string]string) {
	do := func(step Step, f func(parent *os.Root, base string, step Step) error) {
		if _, ok := failed[step.Path]; ok {
			return
		}
		parent, base, err := files.ParentBelow(s.tree, filepath.FromSlash(step.Path), 0o755)
		if err == nil {
			err = errors.Join(f(parent, base, step), parent.Close())
		}
		if err != nil {
			failed[step.Path] = cause(err)
		}
	}
	for _, step := range slices.Backward(steps) {
		if step.now != nil && (step.want == nil || (step.now.Type == dir) != (step.want.Type == dir)) {
			do(step, s.remove)
		}
	}
	for _, step := range steps {
		if step.want != nil && step.want.Type == dir && (step.now == nil || step.now.Type != dir) {
			do(step, func(parent *os.Root, base string, step Step) error { return parent.Mkdir(base, step.want.Mode|0o700) })
		}
	}
	for _, step := range steps {
		if step.want != nil && step.want.Type != dir {
			do(step, s.put)
		}
	}
	for _, step := range slices.Backward(steps) {
		if step.want != nil && step.want.Type == dir {
			do(step, setMode)
		}
	}
}

// errChanged means that a path is not what the plan expects.
var errChanged = errors.New("it has just changed, so it stays as it is")

// expect checks that a path is still what a snapshot found there.
func expect(parent *os.Root, base string, want *entry) error {
	info, err := parent.Lstat(base)
	switch {
	case want == nil && isGone(err):
		return nil
	case want == nil && err == nil:
		return errChanged
	case err != nil:
		return err
	}
	now := described(want.Path, info)
	if now.Type != want.Type || now.Type == file && (now.Size != want.Size || now.Modified != want.Modified || now.Inode != want.Inode) {
		return errChanged
	}
	if now.Type == link {
		if target, err := parent.Readlink(base); err != nil || target != want.Target {
			return errors.Join(err, errChanged)
		}
	}
	return nil
}

// remove removes a file, a link or an empty directory.
func (s *Store) remove(parent *os.Root, base string, step Step) error {
	if err := expect(parent, base, step.now); err != nil {
		return err
	}
	return parent.Remove(base)
}

// put makes a file or a link in one step.
func (s *Store) put(parent *os.Root, base string, step Step) error {
	now := step.now
	if now != nil && now.Type == dir {
		now = nil // it was removed
	}
	if err := expect(parent, base, now); err != nil {
		return err
	}
	fresh := temporary + strings.ToLower(fmt.Sprintf("%x", step.want.Hash[:4])) + "-" + fmt.Sprint(os.Getpid())
	if err := s.fill(parent, fresh, step.want); err != nil {
		return errors.Join(err, ignoreGone(parent.Remove(fresh)))
	}
	if err := parent.Rename(fresh, base); err != nil {
		return errors.Join(err, parent.Remove(fresh))
	}
	return nil
}

func ignoreGone(err error) error {
	if isGone(err) {
		return nil
	}
	return err
}

// fill creates a new file or link.
func (s *Store) fill(parent *os.Root, name string, want *entry) error {
	if err := ignoreGone(parent.Remove(name)); err != nil {
		return err
	}
	if want.Type == link {
		return parent.Symlink(want.Target, name)
	}
	data, err := s.objects.get(want.Hash)
	if err != nil {
		return err
	}
	f, err := parent.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = errors.Join(f.Chmod(want.Mode), f.Sync())
	}
	return errors.Join(err, f.Close())
}

// setMode sets the mode of a directory. It follows no link.
func setMode(parent *os.Root, base string, step Step) error {
	info, err := parent.Lstat(base)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return errChanged
	}
	at, err := files.OpenRootIn(parent, base)
	if err != nil {
		return err
	}
	opened, err := at.Stat(".")
	if err == nil && !os.SameFile(info, opened) {
		err = errChanged
	}
	if err == nil {
		err = at.Chmod(".", step.want.Mode&fs.ModePerm)
	}
	return errors.Join(err, at.Close())
}
