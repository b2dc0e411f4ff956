// Package checkpoint keeps what is needed to bring the files of a directory back to an earlier state. It knows nothing of conversations: a caller
// takes a snapshot before something may change files and another one after it, and can later return to the state of each.
//
// A snapshot costs a look at every file. Only files whose size, times or inode differ from the last look are read. Their contents are appended to a
// file of objects, which are named by their hash, and the differences to a log. Links are never followed: every path is opened part by part.
package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Limits bound what is kept.
type Limits struct {
	// File is the size of the largest file that is kept, Total the size of all contents and of the log, in bytes.
	File, Total int64
	// Files is how many files and directories the directory may have.
	Files int
}

// DefaultLimits are the limits of a session.
func DefaultLimits() Limits { return Limits{File: 16 << 20, Total: 2 << 30, Files: 300_000} }

// maxPoints is how many snapshots one can return to. The oldest is forgotten first.
const maxPoints = 2000

// Kind says when a snapshot was taken.
type Kind string

// The kinds of snapshots. The differences of Before and Look are changes by other hands, those of After and Restored changes by the caller.
const (
	Before   Kind = "before"
	After    Kind = "after"
	Look     Kind = "look"
	Restored Kind = "restored"
)

// Point is a snapshot that one can return to.
type Point struct {
	ID   int
	Kind Kind
	// At is the caller's mark of the snapshot: when the work began that changes files.
	At time.Time
	// changes are the differences to the snapshot before. They are empty for the first one.
	changes []change
	// From is the snapshot before a rewind, if this is the one after it.
	From int
	// ours is set if the caller made the differences.
	ours bool
}

// change is a difference between two snapshots. A nil entry means that there is nothing.
type change struct {
	path      string
	was, made *entry
}

// Store keeps the snapshots of one directory. Its methods may be called from any goroutine.
type Store struct {
	dir, tree string
	limits    Limits

	// looked is how many files and directories the present look, or the last one, has seen.
	looked atomic.Int64

	mu      sync.Mutex
	opened  bool
	objects *objects
	log     *log
	scan    scanner
	points  []Point
	last    int
}

// Open returns the store in dir of the files below tree. It creates nothing before the first snapshot.
func Open(dir, tree string, l Limits) (*Store, error) {
	real, err := filepath.EvalSymlinks(tree)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return nil, fmt.Errorf("keeping files of %s: %w", tree, err)
	}
	return &Store{dir: dir, tree: real, limits: l}, nil
}

// Exists reports whether a store has a snapshot.
func Exists(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, logName))
	return err == nil
}

// open reads what is kept. The caller holds the lock.
func (s *Store) open() error {
	if s.opened {
		return nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	var err error
	if s.objects, err = openObjects(s.dir); err != nil {
		return err
	}
	if s.log, err = openLog(s.dir, s.tree, s.replay); err != nil {
		return errors.Join(err, s.objects.close())
	}
	s.scan = scanner{tree: s.tree, limits: s.limits, objects: s.objects, looked: &s.looked, index: s.scan.index, leftNow: map[string]string{}}
	s.opened = true
	return nil
}

// replay takes a record of the log over.
func (s *Store) replay(r record) {
	if s.scan.index == nil {
		s.scan.index = map[string]*entry{}
	}
	p := Point{ID: r.ID, Kind: r.Kind, At: r.At, From: r.From, ours: r.Ours}
	for _, e := range r.Entries {
		one := change{path: e.Path, was: s.scan.index[e.Path], made: &e}
		if e.Type == gone {
			one.made = nil
			delete(s.scan.index, e.Path)
		} else {
			s.scan.index[e.Path] = &e
		}
		p.changes = append(p.changes, one)
	}
	s.add(p)
}

// add appends a snapshot. The first one has no differences: nothing was there to compare with.
func (s *Store) add(p Point) {
	if s.last == 0 {
		p.changes = nil
	}
	s.last = p.ID
	s.points = append(s.points, p)
	if len(s.points) > maxPoints {
		s.points = slices.Clone(s.points[len(s.points)-maxPoints:])
	}
}

// Snapshot takes a snapshot. at is the caller's mark; ours says that the differences to the last snapshot are the caller's own doing.
func (s *Store) Snapshot(ctx context.Context, kind Kind, at time.Time, ours bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.takeSnapshot(ctx, record{Kind: kind, At: at, Ours: ours}); err != nil {
		return fmt.Errorf("keeping the files of %s: %w", s.tree, err)
	}
	return nil
}

// Looked returns how many files and directories the present look has seen. It does not wait for the look.
func (s *Store) Looked() int64 { return s.looked.Load() }

// takeSnapshot takes a snapshot and fills its record. The caller holds the lock.
func (s *Store) takeSnapshot(ctx context.Context, r record) error {
	if err := s.open(); err != nil {
		return err
	}
	if s.log.size > s.limits.Total {
		return errFull
	}
	first := s.last == 0
	changes, err := s.scan.run(ctx, r.Kind == Before || r.Kind == After)
	if err != nil {
		s.scan.forget()
		return err
	}
	if len(changes) == 0 && !first && r.Kind != Before && r.Kind != Restored {
		return nil
	}
	r.ID = s.last + 1
	for _, c := range changes {
		e := entry{Path: c.path, Type: gone}
		if c.made != nil {
			e = *c.made
		}
		r.Entries = append(r.Entries, e)
	}
	if err := s.write(r); err != nil {
		s.scan.forget()
		return err
	}
	s.scan.commit(changes)
	s.add(Point{ID: r.ID, Kind: r.Kind, At: r.At, From: r.From, ours: r.Ours, changes: changes})
	return nil
}

// write makes a snapshot durable: first the contents, then the record that names them.
func (s *Store) write(r record) error {
	if err := s.objects.sync(); err != nil {
		return err
	}
	return s.log.append(r)
}

// First returns the first snapshot before a change whose mark is not earlier than at. ok is false if nothing was changed since.
func (s *Store) First(at time.Time) (id int, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.opened && !Exists(s.dir) {
		return 0, false, nil
	}
	if err := s.open(); err != nil {
		return 0, false, err
	}
	for _, p := range s.points {
		if p.Kind == Before && !p.At.Before(at) {
			return p.ID, true, nil
		}
	}
	return 0, false, nil
}

// LeftOut returns what the last snapshot left out, and why.
func (s *Store) LeftOut() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.scan.leftOut()
}

// Close closes the files.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.opened {
		return nil
	}
	s.scan.forget()
	s.opened, s.scan.index, s.points, s.last = false, nil, nil, 0
	return errors.Join(s.objects.close(), s.log.close())
}

// isGone reports whether an error says that a path does not exist any more.
func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) }
