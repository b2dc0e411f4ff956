package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
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
	// Reports and Statuses ask all running sessions, and Report asks one of them; see host.SessionReports, host.StatusesSince and
	// host.SessionReport.
	Reports  func() map[string]json.RawMessage
	Report   func(socket string) json.RawMessage
	Statuses func(before []host.Status) (list []host.Status, silent int)
	// Describe returns what the files and the settings of a plugin say about it now; nil if its project does not have it. It starts nothing.
	Describe func(host.Status) (*Described, error)
	// Fleet connects to the queue of a fleet. It is called when a page shows the fleet.
	Fleet func(context.Context) (Fleet, error)
	// Secrets are removed from all texts.
	Secrets *redact.Redactor
}

const (
	// sessionAge is how old what the page of one session shows may be.
	sessionAge = liveInterval / 5
	// runningTime, savedTime and pluginTime are how long each running session, saved session and plugin delays the next reading of a list, so
	// that reading and drawing takes a bounded share of a processor however many there are.
	runningTime = 20 * time.Millisecond
	savedTime   = 100 * time.Microsecond
	pluginTime  = 4 * time.Millisecond
	// historyInterval is the shortest time between two points of a chart, historyLength how many of them a chart shows, and historyPlugins how many plugins
	// have charts.
	historyInterval = 5 * time.Second
	historyLength   = 60
	historyPlugins  = 2000
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
	// sockets are where the running sessions of the list answer, by their ids. recent has the sessions that pages showed since the list was made.
	sockets map[string]string
	recent  map[string]recentRow
	// network has what the sessions of the list did with the network, by the paths of their journals; nil until a page shows it.
	network map[string]networkOf

	reading     sync.Mutex
	before, now top.Reading
	pluginRows  []top.Row
	// silent is how many sessions did not answer in time at the last reading.
	silent int
	// charted is the reading of the newest points of the charts.
	charted top.Reading
	history map[string]*chart

	// indexing guards what is known of recordings, also while one is read.
	indexing sync.Mutex
	indexes  map[string]*recording.Index
	// reporting guards the reports of replays. It may be acquired while indexing is held.
	reporting sync.Mutex
	reports   map[string]keptReport

	describing sync.Mutex
	plugin     map[string]describedAt
}

// recentRow is a session of the list that was read after the list.
type recentRow struct {
	inspect.SessionRow

	at time.Time
}

// sessions returns the list of sessions, the newest first, and when it was read.
func (r *reader) sessions() ([]inspect.SessionRow, time.Time, error) {
	r.listing.Lock()
	defer r.listing.Unlock()
	rows, err := r.list()
	return rows, r.listedAt, err
}

// list is sessions for a caller that holds the lock.
func (r *reader) list() ([]inspect.SessionRow, error) {
	if time.Since(r.listedAt) < max(liveInterval, time.Duration(len(r.sockets))*runningTime+time.Duration(len(r.rows))*savedTime) {
		return r.rows, r.listErr
	}
	list, err := r.catalog.List(r.source.Journals()...)
	r.listErr = r.source.Secrets.Error(err)
	reports := r.source.Reports()
	r.rows = inspect.SessionRows(list, slices.Collect(maps.Values(reports)), r.statuses(), r.source.Secrets)
	r.sockets, r.recent = make(map[string]string, len(reports)), map[string]recentRow{}
	for socket, raw := range reports {
		var about struct{ ID string }
		if json.Unmarshal(raw, &about) == nil { // a report of another version is left out of the list too
			r.sockets[about.ID] = socket
		}
	}
	r.listedAt = time.Now()
	return r.rows, r.listErr
}

// session calls use with a session and the index of its journal. It reads both now, whatever the age of the list. It reports whether there is
// such a session. The index must not be used afterwards.
func (r *reader) session(id string, use func(inspect.SessionRow, *session.Index) error) (found bool, err error) {
	r.listing.Lock()
	defer r.listing.Unlock()
	rows, err := r.list()
	named := func(row inspect.SessionRow) bool { return row.ID == id }
	i := slices.IndexFunc(rows, named)
	if i < 0 && time.Since(r.listedAt) > liveInterval { // it may be new
		r.listedAt = time.Time{}
		rows, err = r.list()
		i = slices.IndexFunc(rows, named)
	}
	if i < 0 {
		return false, err
	}
	row, index := r.refresh(rows[i])
	if index == nil {
		return false, err
	}
	return true, use(row, index)
}

// refresh reads a session of the list again, unless that was done just now. The caller holds the lock.
func (r *reader) refresh(listed inspect.SessionRow) (inspect.SessionRow, *session.Index) {
	if known := r.recent[listed.ID]; time.Since(known.at) < sessionAge {
		return known.SessionRow, r.catalog.Index(listed.Path)
	}
	summary, index := r.catalog.Refresh(listed.Path)
	var reports []json.RawMessage
	if socket, ok := r.sockets[listed.ID]; ok {
		reports = append(reports, r.source.Report(socket))
	}
	row := inspect.SessionRows([]session.Summary{summary}, reports, nil, r.source.Secrets)[0]
	row.Plugins = listed.Plugins
	r.recent[listed.ID] = recentRow{row, time.Now()}
	return row, index
}

// statuses returns the newest reading of the plugins.
func (r *reader) statuses() []host.Status {
	r.reading.Lock()
	defer r.reading.Unlock()
	r.read(r.pause())
	return r.now.List
}

// plugins returns a row for each plugin, as plugins top shows them. Rates are averages over an interval of top, so that the first call of a
// while takes that long; wait returns early when the client is gone.
func (r *reader) plugins(wait func(time.Duration) bool) []top.Row {
	r.reading.Lock()
	defer r.reading.Unlock()
	r.read(r.pause())
	if len(r.now.List) > 0 && r.now.At.Sub(r.before.At) > 3*r.pause() {
		r.reading.Unlock()
		waited := wait(top.Interval)
		r.reading.Lock()
		if waited {
			r.read(top.Interval)
		}
	}
	return slices.Clone(r.pluginRows)
}

// pause is the time between two readings of the plugins. The caller holds the lock.
func (r *reader) pause() time.Duration {
	return max(top.Interval, time.Duration(len(r.now.List))*pluginTime)
}

// read asks the sessions if the last reading has an age. The caller holds the lock.
func (r *reader) read(age time.Duration) {
	if time.Since(r.now.At) < age {
		return
	}
	r.before = r.now
	r.now = top.Reading{At: time.Now()}
	r.now.List, r.silent = r.source.Statuses(r.before.List)
	r.pluginRows = top.Rows(r.before, r.now)
	if r.now.At.Sub(r.charted.At) < historyInterval {
		return
	}
	old, before := r.history, r.charted
	r.charted, r.history = r.now, make(map[string]*chart, len(r.now.List))
	for _, row := range top.Rows(before, r.now) {
		if len(r.history) == historyPlugins {
			break
		}
		key, c := row.Key(), &chart{}
		if known := old[key]; known != nil {
			c.samples = known.samples[max(0, len(known.samples)+1-historyLength):]
		}
		c.samples = append(slices.Clip(c.samples), sample{row.CallsPerSecond, row.MemoryBytes})
		r.history[key] = c
	}
}

// unanswered returns how many sessions did not answer in time at the last reading of the plugins.
func (r *reader) unanswered() int {
	r.reading.Lock()
	defer r.reading.Unlock()
	return r.silent
}

// version changes with each reading of the plugins.
func (r *reader) version() string {
	r.reading.Lock()
	defer r.reading.Unlock()
	return fmt.Sprint(r.now.At.UnixNano(), " ", r.before.At.UnixNano())
}

// charts returns the charts of a plugin. at changes with each point of them, and is 0 while they show nothing.
func (r *reader) charts(key string) (calls, memory ready, at int64) {
	r.reading.Lock()
	defer r.reading.Unlock()
	c := r.history[key]
	if c == nil {
		c = &chart{}
	}
	if c.calls == "" {
		c.draw()
	}
	if slices.ContainsFunc(c.samples, func(x sample) bool { return x != sample{} }) {
		at = r.charted.At.UnixNano()
	}
	return c.calls, c.memory, at
}

// pluginID returns a name for the plugin of a session that can be part of an address.
func pluginID(s host.Status) string {
	sum := sha256.Sum256([]byte(s.Key()))
	return hex.EncodeToString(sum[:8])
}
