package host

import (
	"encoding/json"
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
}

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
	paths := sockets("status", bases)
	lists := make([][]Status, len(paths))
	var group sync.WaitGroup
	for i, path := range paths {
		group.Go(func() { lists[i] = askStatus(path) })
	}
	group.Wait()
	return slices.Concat(lists...)
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

func askStatus(path string) []Status {
	var list []Status
	if askSocket(path, &list) != nil {
		return nil
	}
	for i := range list {
		list[i].place = filepath.Dir(path)
	}
	return list
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
