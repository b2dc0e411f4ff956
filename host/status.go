package host

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/base/files"
)

// Status is the health of a plugin as its session reports it to other processes.
type Status struct {
	PluginHealth
	// Project is the working directory of the session. SessionPid is the process of the session.
	Project    string `json:"project"`
	SessionPid int    `json:"session_pid"`
	// Log is the file that receives the plugin's output.
	Log string `json:"log"`
	// place is the session's directory. It is where the status came from and never part of a status.
	place string
	// unanswered is set if the session did not answer in time, so that this is what it had reported before.
	unanswered bool
}

// Unanswered reports whether the status is an older one, because the session has not answered in time since.
func (s Status) Unanswered() bool { return s.unanswered }

// Key identifies the plugin of a session among all statuses. It stays the same while the session runs.
func (s Status) Key() string { return s.place + "\x00" + s.Name }

// statuses reports on every plugin, in the order of their names.
func (f *Fleet) statuses() []Status {
	plugins := f.Plugins()
	out := make([]Status, len(plugins))
	var group sync.WaitGroup
	for i, p := range plugins {
		group.Go(func() {
			out[i] = Status{
				PluginHealth: p.sup.health(f.opts.Session.ID), Project: f.opts.Workdir, SessionPid: os.Getpid(), Log: p.Spec().LogFile,
			}
		})
	}
	group.Wait()
	return out
}

// Statuses returns what every session below the given directories reports about its plugins. Sessions that do not answer are left out,
// and so are directories that another user could have planted.
func Statuses(bases ...string) []Status {
	list, _ := StatusesSince(nil, bases...)
	return list
}

// StatusesSince is Statuses for a caller that has the statuses of an earlier call. A session that does not answer in time is not left out:
// the earlier statuses stand for it. silent is the number of these sessions, whether or not there are earlier statuses.
func StatusesSince(before []Status, bases ...string) (list []Status, silent int) {
	paths := sockets("status", bases)
	lists, late := make([][]Status, len(paths)), make([]bool, len(paths))
	var group sync.WaitGroup
	for i, path := range paths {
		group.Go(func() { lists[i], late[i] = askStatus(path, before) })
	}
	group.Wait()
	for _, l := range late {
		if l {
			silent++
		}
	}
	return slices.Concat(lists...), silent
}

// Sessions returns what every session below the given directories reports about itself, as the session encoded it. Sessions are left out as
// in Statuses.
func Sessions(bases ...string) []json.RawMessage {
	reports := SessionReports(bases...)
	var out []json.RawMessage
	for _, socket := range slices.Sorted(maps.Keys(reports)) {
		out = append(out, reports[socket])
	}
	return out
}

// SessionReports returns what Sessions returns, by the paths of the sockets that reported it.
func SessionReports(bases ...string) map[string]json.RawMessage {
	paths := sockets("session", bases)
	raw := make([]json.RawMessage, len(paths))
	var group sync.WaitGroup
	for i, path := range paths {
		group.Go(func() { raw[i] = SessionReport(path) })
	}
	group.Wait()
	out := make(map[string]json.RawMessage, len(paths))
	for i, path := range paths {
		if raw[i] != nil {
			out[path] = raw[i]
		}
	}
	return out
}

// SessionReport returns what the session with a socket reports about itself now; nil if it does not answer. The socket must be one that
// SessionReports has returned.
func SessionReport(socket string) json.RawMessage {
	var raw json.RawMessage
	if askSocket(socket, &raw) != nil || string(raw) == "null" {
		return nil
	}
	return raw
}

// sockets returns the sockets with a name of all sessions below directories.
func sockets(name string, bases []string) []string {
	var paths []string
	for _, base := range bases {
		if info, err := os.Lstat(base); err != nil || !info.IsDir() || !files.Ours(info) {
			continue
		}
		found, err := filepath.Glob(filepath.Join(base, "s-*", name))
		if err != nil {
			continue // the pattern is constant and well formed
		}
		paths = append(paths, found...)
	}
	return paths
}

// Running returns the health of the plugins of every session below the given directories, as Statuses does.
func Running(bases ...string) []PluginHealth {
	var all []PluginHealth
	for _, s := range Statuses(bases...) {
		all = append(all, s.PluginHealth)
	}
	return all
}

// askStatus asks a session. late reports that it did not answer in time; the list then has what it reported before.
func askStatus(path string, before []Status) (list []Status, late bool) {
	place := filepath.Dir(path)
	if err := askSocket(path, &list); err != nil {
		timeout, ok := errors.AsType[net.Error](err)
		if !ok || !timeout.Timeout() {
			return nil, false // nobody listens, or the session has ended meanwhile
		}
		list = slices.DeleteFunc(slices.Clone(before), func(s Status) bool { return s.place != place })
		for i := range list {
			list[i].unanswered = true
		}
		return list, true
	}
	for i := range list {
		list[i].place = place
	}
	return list, false
}

// askSocket reads the JSON value that a socket of a session reports.
func askSocket(path string, into any) error {
	conn, err := net.DialTimeout("unix", path, statusTimeout)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(statusTimeout))
	return json.NewDecoder(io.LimitReader(conn, maxStatus)).Decode(into)
}
