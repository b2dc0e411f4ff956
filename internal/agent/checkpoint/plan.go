package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"time"
)

// Action is what a rewind does to a path.
type Action string

// The actions.
const (
	Create Action = "create"
	Change Action = "change"
	Remove Action = "remove"
)

// Step is what a rewind does to one path.
type Step struct {
	// Path is relative to the directory, with slashes.
	Path   string `json:"path"`
	Action Action `json:"action"`
	// Others is set if somebody other than the caller changed the path since.
	Others bool `json:"others,omitempty"`

	now, want *entry
}

// Plan is what a rewind does.
type Plan struct {
	Steps []Step
	// Skipped holds the paths that stay as they are although they differ, and why.
	Skipped map[string]string
	// to and from are the snapshots to return to and to leave.
	to, from int
}

// Others returns the paths that others changed.
func (p Plan) Others() []string {
	var out []string
	for _, s := range p.Steps {
		if s.Others {
			out = append(out, s.Path)
		}
	}
	return out
}

// Plan returns what a return to a snapshot does. It takes a snapshot of the present state, so that one can come back.
func (s *Store) Plan(ctx context.Context, id int) (Plan, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return Plan{}, err
	}
	if err := s.takeSnapshot(ctx, record{Kind: Look, At: time.Now()}); err != nil {
		return Plan{}, fmt.Errorf("looking at the files of %s: %w", s.tree, err)
	}
	if id < s.points[0].ID || id > s.last {
		return Plan{}, fmt.Errorf("returning to snapshot %d: it is not kept", id)
	}
	return s.plan(id), nil
}

// plan compares the present state with that of a snapshot.
func (s *Store) plan(id int) Plan {
	want, others := map[string]*entry{}, map[string]bool{}
	for _, p := range slices.Backward(s.points) {
		if p.ID <= id {
			break
		}
		for _, c := range p.changes {
			want[c.path] = c.was
			others[c.path] = others[c.path] || !p.ours
		}
	}
	out := Plan{Skipped: map[string]string{}, to: id, from: s.last}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		now, then := s.scan.index[name], want[name]
		if now.same(then) {
			continue
		}
		if why := s.unrestorable(name, then); why != "" {
			out.Skipped[name] = why
			continue
		}
		step := Step{Path: name, Action: Change, Others: others[name], now: now, want: then}
		switch {
		case now == nil:
			step.Action = Create
		case then == nil:
			step.Action = Remove
		}
		out.Steps = append(out.Steps, step)
	}
	return out
}

// unrestorable returns why a path stays as it is, or "". What is left out is not kept, so it must not be replaced.
func (s *Store) unrestorable(name string, want *entry) string {
	for at := name; at != "."; at = path.Dir(at) {
		if why, ok := s.scan.leftNow[at]; ok {
			return why
		}
	}
	if want != nil && want.Type == file && !s.objects.has(want.Hash) {
		return "its content is not kept"
	}
	return ""
}

// Undo returns what it takes to undo the last rewind, also one that was interrupted.
func (s *Store) Undo(ctx context.Context) (Plan, error) {
	if i, ok := Interrupted(s.dir); ok {
		return s.Plan(ctx, i.From)
	}
	s.mu.Lock()
	if err := s.open(); err != nil {
		s.mu.Unlock()
		return Plan{}, err
	}
	from := 0
	for _, p := range s.points {
		if p.Kind == Restored {
			from = p.From
		}
	}
	s.mu.Unlock()
	if from == 0 {
		return Plan{}, errors.New("undoing a rewind of files: there was none")
	}
	return s.Plan(ctx, from)
}
