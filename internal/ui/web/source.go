package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/author/recording"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/ui/top"
)

// Source says where the pages find what they show.
type Source struct {
	// Journals returns the directories with the sessions of all projects.
	Journals func() []string
	// Reports and Statuses ask all running sessions; see host.Sessions and host.Statuses.
	Reports  func() []json.RawMessage
	Statuses func() []host.Status
	// Describe returns what the files and the settings of a plugin say about it now; nil if its project does not have it. It starts nothing.
	Describe func(host.Status) (*Described, error)
	// Fleet connects to the queue of a fleet. It is called when a page shows the fleet.
	Fleet func(context.Context) (Fleet, error)
	// Secrets are removed from all texts.
	Secrets *redact.Redactor
}

const (
	// sessionsAge is how old the list of sessions may be. A page shows a change after this time at the latest, plus the time of reading.
	sessionsAge = 250 * time.Millisecond
	// readingAge is how old the reading before the last may be for rates between them.
	readingAge = 3 * top.Interval
	// historyLength is how many readings a chart shows, and historyPlugins how many plugins have charts.
	historyLength  = 180
	historyPlugins = 2000
)

// reader reads the source for all pages. Nothing is read while nobody looks. Readings are shared: many pages read as often as one.
type reader struct {
	source Source

	// listing guards the catalog, and reading guards what follows it, also while the source is read.
	listing  sync.Mutex
	catalog  session.Catalog
	rows     []inspect.SessionRow
	listErr  error
	listedAt time.Time
	// network has what the sessions of the list did with the network, by the paths of their journals; nil until a page shows it.
	network map[string]networkOf

	reading     sync.Mutex
	before, now top.Reading
	history     map[string][]sample

	// indexing guards what is known of recordings, also while one is read.
	indexing sync.Mutex
	indexes  map[string]*recording.Index
	// reporting guards the reports of replays. It may be acquired while indexing is held.
	reporting sync.Mutex
	reports   map[string]keptReport

	describing sync.Mutex
	plugin     map[string]describedAt
}

// sample is what a chart shows of one reading.
type sample struct {
	calls  float64
	memory int64
}

// sessions returns the list of sessions, the newest first.
func (r *reader) sessions() ([]inspect.SessionRow, error) {
	r.listing.Lock()
	defer r.listing.Unlock()
	return r.list()
}

// list is sessions for a caller that holds the lock.
func (r *reader) list() ([]inspect.SessionRow, error) {
	if time.Since(r.listedAt) < sessionsAge {
		return r.rows, r.listErr
	}
	list, err := r.catalog.List(r.source.Journals()...)
	r.listErr = r.source.Secrets.Error(err)
	r.rows = inspect.SessionRows(list, r.source.Reports(), r.statuses(), r.source.Secrets)
	r.listedAt = time.Now()
	return r.rows, r.listErr
}

// session calls use with a session of the list and the index of its journal. It reports whether there is such a session. The index must not
// be used afterwards.
func (r *reader) session(id string, use func(inspect.SessionRow, *session.Index) error) (found bool, err error) {
	r.listing.Lock()
	defer r.listing.Unlock()
	rows, err := r.list()
	i := slices.IndexFunc(rows, func(row inspect.SessionRow) bool { return row.ID == id })
	if i < 0 {
		return false, err
	}
	index := r.catalog.Index(rows[i].Path)
	if index == nil {
		return false, err
	}
	return true, use(rows[i], index)
}

// statuses returns the newest reading of the plugins.
func (r *reader) statuses() []host.Status {
	r.reading.Lock()
	defer r.reading.Unlock()
	r.read()
	return r.now.List
}

// plugins returns a row for each plugin, as plugins top shows them. Rates are averages over an interval of top, so that the first call of a
// while takes that long; wait returns early when the client is gone.
func (r *reader) plugins(wait func(time.Duration) bool) []top.Row {
	r.reading.Lock()
	defer r.reading.Unlock()
	r.read()
	if len(r.now.List) > 0 && r.now.At.Sub(r.before.At) > readingAge {
		r.reading.Unlock()
		waited := wait(top.Interval)
		r.reading.Lock()
		if waited {
			r.read()
		}
	}
	return top.Rows(r.before, r.now)
}

// read asks the sessions if the last reading is old enough. The caller holds the lock.
func (r *reader) read() {
	if time.Since(r.now.At) < top.Interval {
		return
	}
	r.before, r.now = r.now, top.Reading{At: time.Now(), List: r.source.Statuses()}
	old := r.history
	r.history = make(map[string][]sample, len(r.now.List))
	for _, row := range top.Rows(r.before, r.now) {
		if len(r.history) == historyPlugins {
			break
		}
		key := row.Key()
		samples := append(old[key], sample{row.CallsPerSecond, row.MemoryBytes})
		r.history[key] = slices.Clone(samples[max(0, len(samples)-historyLength):])
	}
}

// version changes with each reading of the plugins.
func (r *reader) version() string {
	r.reading.Lock()
	defer r.reading.Unlock()
	return fmt.Sprint(r.now.At.UnixNano(), " ", r.before.At.UnixNano())
}

// samples returns what the chart of a plugin shows, the oldest first.
func (r *reader) samples(key string) []sample {
	r.reading.Lock()
	defer r.reading.Unlock()
	return r.history[key]
}

// pluginID returns a name for the plugin of a session that can be part of an address.
func pluginID(s host.Status) string {
	sum := sha256.Sum256([]byte(s.Key()))
	return hex.EncodeToString(sum[:8])
}
