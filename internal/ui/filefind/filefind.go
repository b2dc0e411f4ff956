// Package filefind finds files by a few characters of their paths, for completion.
package filefind

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	// maxEntries is how many files and directories are candidates.
	maxEntries = 20_000
	// maxWait is how long Find waits for the first walk. It then searches what the walk has found so far.
	maxWait = 200 * time.Millisecond
	// maxWalk is how long a walk takes at most. The rest of the files are no candidates.
	maxWalk = 10 * time.Second
	// minAge is the age of a list that Find renews. The list of a slow walk is renewed less often: its age is at least restFactor
	// times the duration of the walk.
	minAge     = 2 * time.Second
	restFactor = 10
)

// Finder finds files below a directory. It keeps a list of the files, and renews the list in the background when it is used. Its
// methods may be called from several goroutines. Its owner must close it.
type Finder struct {
	root string

	mu sync.Mutex
	// entries and err are the result of the latest walk. While the first walk runs, entries is what it has found so far.
	entries []entry
	err     error
	// complete is set after the first walk.
	complete bool
	// running is the walk that runs, or nil.
	running *background
	// renew is when the list is to be renewed.
	renew  time.Time
	closed bool
}

// background is a walk in a goroutine of its own.
type background struct {
	cancel context.CancelFunc
	// done is closed when the goroutine has ended.
	done chan struct{}
}

// Match is a file or a directory that a query fits.
type Match struct {
	// Path is relative to the root of the Finder, with slashes. It contains no control characters and no invisible ones.
	Path string
	Dir  bool
	// Positions are the places of the query's characters in Path, in bytes.
	Positions []int
}

// New returns a Finder for the files below a directory. It reads nothing yet.
func New(root string) *Finder { return &Finder{root: root} }

// Close ends a walk in the background. The Finder finds what it has found before.
func (f *Finder) Close() {
	f.mu.Lock()
	f.closed = true
	running := f.running
	f.mu.Unlock()
	if running != nil {
		running.cancel()
		<-running.done
	}
}

// Find returns the files and directories that a query fits best, at most the given number, ranked as by Rank. Ignored files are no
// candidates. Hidden files are candidates if the query, or a name in it, begins with a dot. If the first walk takes long, Find returns
// matches among the files found so far. It fails if ctx ends or if the directory cannot be read.
func (f *Finder) Find(ctx context.Context, query string, most int) ([]Match, error) {
	entries, err := f.list(ctx)
	if err != nil {
		return nil, err
	}
	query = strings.ToLower(strings.TrimPrefix(filepath.ToSlash(query), "./"))
	hidden := strings.HasPrefix(query, ".") || strings.Contains(query, "/.")
	best := rank(query, most, func(yield func(int, string) bool) {
		for i := range entries {
			if (hidden || !entries[i].hidden) && !yield(i, entries[i].lower) {
				return
			}
		}
	})
	matches := make([]Match, len(best))
	for i, at := range best {
		matches[i] = Match{Path: entries[at].path, Dir: entries[at].dir, Positions: positions(query, entries[at].path)}
	}
	return matches, nil
}

// list returns the list of files, and renews it if it is old.
func (f *Finder) list(ctx context.Context) ([]entry, error) {
	if wait := f.refresh(); wait != nil {
		timer := time.NewTimer(maxWait)
		defer timer.Stop()
		select {
		case <-wait:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.entries, f.err
}

// refresh starts a walk if the list is old. It returns a channel that is closed at the end of the first walk, or nil if that has
// ended.
func (f *Finder) refresh() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running == nil && !f.closed && !time.Now().Before(f.renew) {
		ctx, cancel := context.WithTimeout(context.Background(), maxWalk)
		f.running = &background{cancel: cancel, done: make(chan struct{})}
		go f.walk(ctx, f.running)
	}
	if f.running == nil || f.complete {
		return nil
	}
	return f.running.done
}

// walk renews the list.
func (f *Finder) walk(ctx context.Context, running *background) {
	defer close(running.done)
	defer running.cancel()
	begun := time.Now()
	entries, err := walk(ctx, f.root, maxEntries, func(found []entry) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if !f.complete {
			f.entries = found
		}
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running = nil
	if f.closed {
		return // the list is not complete
	}
	f.entries, f.err, f.complete = entries, err, true
	f.renew = time.Now().Add(max(minAge, restFactor*time.Since(begun)))
}
