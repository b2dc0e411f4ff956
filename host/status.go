package host

import (
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
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

// Statuses returns what every session below the given directories reports. Sessions that do not answer are left out, and so are
// directories that another user could have planted.
func Statuses(bases ...string) []Status {
	var paths []string
	for _, base := range bases {
		if info, err := os.Lstat(base); err != nil || !info.IsDir() || !ownedByUs(info) {
			continue
		}
		found, err := filepath.Glob(filepath.Join(base, "s-*", "status"))
		if err != nil {
			continue // the pattern is constant and well formed
		}
		paths = append(paths, found...)
	}
	lists := make([][]Status, len(paths))
	var group sync.WaitGroup
	for i, path := range paths {
		group.Go(func() { lists[i] = askStatus(path) })
	}
	group.Wait()
	return slices.Concat(lists...)
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
	conn, err := net.DialTimeout("unix", path, statusTimeout)
	if err != nil {
		return nil
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(statusTimeout))
	var list []Status
	if json.NewDecoder(io.LimitReader(conn, maxStatus)).Decode(&list) != nil {
		return nil
	}
	for i := range list {
		list[i].place = filepath.Dir(path)
	}
	return list
}
