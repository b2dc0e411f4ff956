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

// maxSocket is the longest path of a socket that every system takes, and longestName what comes after the runtime directory in one:
// session, plugins, and go-plugin's directory and file, each with a random number.
const (
	maxSocket   = 103
	longestName = "/s-4294967295/p/plugin-dir4294967295/plugin4294967295"
)

// Session is a running aura's place on this machine: a private directory with the sockets of its children and a status
// socket by which other processes see how its plugins are. Its owner closes it; one whose owner was killed is swept by the
// next that opens.
type Session struct {
	ID   string
	dir  string
	lock *lock.Lock
	done chan struct{}

	mu     sync.Mutex
	listen net.Listener
	source func() []PluginHealth
}

// OpenSession makes a session below base, RuntimeDir's answer as a rule.
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

// RuntimeDir is where the sessions of a user are: below xdg (the value of XDG_RUNTIME_DIR) if that is a directory, else in run,
// aura's own directory for it, else, where both are too long for a socket, below /tmp.
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

// fits reports whether sockets can be made below a runtime directory.
func fits(dir string) bool { return len(dir)+len(longestName) <= maxSocket }

// RuntimeDirs are all places where sessions of this user may be, whatever the environment was that they were started in; the
// first is RuntimeDir's answer.
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

// privateDir makes dir, or makes sure that no other user can have laid it out for us.
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

// sweep removes what sessions that were killed left behind. Only a session whose lock is free is dead.
func sweep(base string) {
	dirs, err := filepath.Glob(filepath.Join(base, "s-*"))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		path, flag := filepath.Join(dir, "lock"), 0
		if _, err := os.Stat(path); err != nil {
			// A session that is just being made has no lock yet, and one that is being removed has none any more.
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

// publish sets where the status comes from.
func (s *Session) publish(source func() []PluginHealth) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.source = source
}

// maxStatus is the longest status that is read, in bytes.
const maxStatus = 16 << 20

// statusTimeout bounds how long a status is written or read.
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

// Close removes all traces of the session. The fleets that used it must be closed.
func (s *Session) Close() error {
	err := s.listen.Close()
	<-s.done
	return errors.Join(err, os.RemoveAll(s.dir), s.lock.Release())
}

// Running asks every session below the given places how its plugins are. A session that does not answer is left out.
func Running(bases ...string) []PluginHealth {
	var all []PluginHealth
	for _, base := range bases {
		paths, err := filepath.Glob(filepath.Join(base, "s-*", "status"))
		if err != nil {
			continue // the pattern is ours and well formed
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
