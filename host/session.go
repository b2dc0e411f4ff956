package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/lock"
)

// maxSocket is the longest socket path, in bytes, that every system accepts. longestName is the longest suffix of such a path
// after the runtime directory: session, plugins, and go-plugin's directory and file, each with a random number.
const (
	maxSocket   = 103
	longestName = "/s-4294967295/p/plugin-dir4294967295/plugin4294967295"
)

// Session is a private directory of a running aura. It contains the sockets of its children and a status socket that reports
// the health of its plugins to other processes. The owner must close it. If the owner was killed, the next OpenSession removes
// the directory.
type Session struct {
	ID   string
	dir  string
	lock *lock.Lock
	done chan struct{}

	mu     sync.Mutex
	listen net.Listener
	source func() []PluginHealth
}

// OpenSession creates a session below base, which is usually the result of RuntimeDir.
func OpenSession(base, id string) (*Session, error) {
	if err := privateDir(base); err != nil {
		return nil, err
	}
	sweep(base)
	dir, err := os.MkdirTemp(base, "s-")
	if err != nil {
		return nil, fmt.Errorf("making a session directory: %w", err)
	}
	s := &Session{ID: id, dir: dir, done: make(chan struct{})}
	err = os.Mkdir(s.socketDir(), 0o700)
	if err == nil {
		s.lock, err = lock.Create(filepath.Join(dir, "lock"))
	}
	if err == nil {
		s.listen, err = net.Listen("unix", s.statusPath())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("making a session directory: %w", err), os.RemoveAll(dir), s.lock.Release())
	}
	go s.serve()
	return s, nil
}

// RuntimeDir returns the directory for a user's sessions. It is located below xdg (the value of XDG_RUNTIME_DIR) if that is a
// directory. Otherwise it is run, aura's own directory for sessions. If both paths are too long for a socket, it is located
// below /tmp.
func RuntimeDir(xdg, run string) string {
	if info, err := os.Stat(xdg); xdg != "" && err == nil && info.IsDir() {
		if dir := filepath.Join(xdg, "aura"); fits(dir) {
			return dir
		}
	}
	if run != "" && fits(run) {
		return run
	}
	return filepath.Join("/tmp", fmt.Sprintf("aura-%d", os.Getuid()))
}

// fits reports whether socket paths below a runtime directory are short enough.
func fits(dir string) bool { return len(dir)+len(longestName) <= maxSocket }

// RuntimeDirs returns all directories that may contain sessions of this user, independent of the environment in which they were
// started. The first is the result of RuntimeDir.
func RuntimeDirs(xdg, run string) []string {
	out := []string{RuntimeDir(xdg, run)}
	for _, dir := range []string{
		RuntimeDir("", run), RuntimeDir("", ""), RuntimeDir(fmt.Sprintf("/run/user/%d", os.Getuid()), run),
	} {
		if !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

// privateDir creates dir, or verifies that an existing dir belongs to this user and not to another user who planted it.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the runtime directory: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("making the runtime directory: %w", err)
	}
	if !info.IsDir() || !ownedByUs(info) {
		return fmt.Errorf("using runtime directory %s: it belongs to someone else; remove it or set XDG_RUNTIME_DIR", dir)
	}
	if info.Mode().Perm() != 0o700 {
		return os.Chmod(dir, 0o700)
	}
	return nil
}

// sweep removes the directories of sessions that were killed. A session is dead only if its lock is free.
func sweep(base string) {
	dirs, err := filepath.Glob(filepath.Join(base, "s-*"))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		path, flag := filepath.Join(dir, "lock"), 0
		if _, err := os.Stat(path); err != nil {
			// A session that is being created has no lock yet, and a session that is being removed no longer has one.
			if info, err := os.Stat(dir); err != nil || time.Since(info.ModTime()) < time.Minute {
				continue
			}
			flag = os.O_CREATE
		}
		held, err := lock.Try(path, flag)
		if err != nil {
			continue
		}
		_ = os.RemoveAll(dir)
		_ = held.Release()
	}
}

func (s *Session) socketDir() string  { return filepath.Join(s.dir, "p") }
func (s *Session) statusPath() string { return filepath.Join(s.dir, "status") }

// publish sets the function that returns the status.
func (s *Session) publish(source func() []PluginHealth) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.source = source
}

// maxStatus is the largest status that is read, in bytes.
const maxStatus = 16 << 20

// statusTimeout limits how long writing or reading a status may take.
const statusTimeout = 2 * time.Second

func (s *Session) serve() {
	defer close(s.done)
	for {
		conn, err := s.listen.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		source := s.source
		s.mu.Unlock()
		list := []PluginHealth{}
		if source != nil {
			list = source()
		}
		_ = conn.SetDeadline(time.Now().Add(statusTimeout))
		_ = json.NewEncoder(conn).Encode(list)
		_ = conn.Close()
	}
}

// Close removes the session's directory and releases its lock. The fleets that used the session must be closed first.
func (s *Session) Close() error {
	err := s.listen.Close()
	<-s.done
	return errors.Join(err, os.RemoveAll(s.dir), s.lock.Release())
}

// Running returns the health of the plugins of every session below the given directories. Sessions that do not answer are left
// out.
func Running(bases ...string) []PluginHealth {
	var all []PluginHealth
	for _, base := range bases {
		paths, err := filepath.Glob(filepath.Join(base, "s-*", "status"))
		if err != nil {
			continue // the pattern is constant and well formed
		}
		for _, path := range paths {
			all = append(all, askStatus(path)...)
		}
	}
	return all
}

func askStatus(path string) []PluginHealth {
	conn, err := net.DialTimeout("unix", path, statusTimeout)
	if err != nil {
		return nil
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(statusTimeout))
	var list []PluginHealth
	if json.NewDecoder(io.LimitReader(conn, maxStatus)).Decode(&list) != nil {
		return nil
	}
	return list
}
