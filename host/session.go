package host

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/lock"
)

// maxSocket is the longest socket path, in bytes, that every system accepts. longestName is the longest suffix of such a path
// after the runtime directory: session, plugins, and go-plugin's directory and file, each with a random number.
const (
	maxSocket   = 103
	longestName = "/s-4294967295/p/plugin-dir4294967295/plugin4294967295"
)

// Session is a private directory of a running aura. It contains the sockets of its children, a status socket that reports the
// health of its plugins to other processes, a socket that reports the state of the session itself, and a control socket by which
// other processes of the user restart and quarantine plugins, cancel turns and answer questions. The owner must close it. If the owner was killed, the next OpenSession removes the directory.
type Session struct {
	ID   string
	dir  string
	lock *lock.Lock
	// serving waits for the goroutines that serve the sockets.
	serving                sync.WaitGroup
	status, about, control net.Listener

	mu     sync.Mutex
	source source
	// describe returns the state of the session; nil until Describe is called.
	describe func() any
	// cancel ends a turn; nil until Cancels is called.
	cancel func(turn int) error
	// answer answers a question; nil until Answers is called.
	answer func(question, answer string) error
}

// source is what a session reports on and controls.
type source interface {
	statuses() []Status
	act(o order) (Answer, error)
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
	s := &Session{ID: id, dir: dir}
	err = os.Mkdir(s.socketDir(), 0o700)
	if err == nil {
		s.lock, err = lock.Create(filepath.Join(dir, "lock"))
	}
	if err == nil {
		err = s.listen()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("making a session directory: %w", err), removeLocked(dir, s.lock))
	}
	open.Store(s, nil)
	return s, nil
}

// open contains the sessions of this process that are not closed.
var open sync.Map

// RemoveSessions removes the directories of all open sessions of this process. It is for a process that must exit at once,
// without closing its sessions.
func RemoveSessions() error {
	var err error
	for s := range open.Range {
		err = errors.Join(err, os.RemoveAll(s.(*Session).dir)) //nolint:forcetypeassert // only OpenSession stores keys
	}
	return err
}

// listen opens the sockets of the session and serves them. A session on a system without such sockets has none: other processes
// do not find it.
func (s *Session) listen() error {
	// The control socket comes first, because other processes find a session by its status socket.
	control, err := net.Listen("unix", controlPath(s.dir))
	if noSockets(err) {
		return nil
	}
	if err != nil {
		return err
	}
	status, err := net.Listen("unix", statusPath(s.dir))
	if err != nil {
		return errors.Join(err, control.Close())
	}
	about, err := net.Listen("unix", aboutPath(s.dir))
	if err != nil {
		return errors.Join(err, control.Close(), status.Close())
	}
	s.control, s.status, s.about = control, status, about
	s.serving.Go(func() { serve(status, 1, s.report) })
	s.serving.Go(func() { serve(about, 1, s.reportSession) })
	s.serving.Go(func() { serve(control, orderSlots, s.obey) })
	return nil
}

// serve handles the connections of a listener, slots at a time, until the listener is closed.
func serve(l net.Listener, slots int, handle func(*net.UnixConn)) {
	var handling sync.WaitGroup
	defer handling.Wait()
	free := make(chan struct{}, slots)
	for {
		free <- struct{}{}
		conn, err := l.Accept()
		if err != nil {
			return
		}
		handling.Go(func() {
			defer func() { <-free }()
			if unix, ok := conn.(*net.UnixConn); ok {
				handle(unix)
			}
		})
	}
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
	return temporaryDir(filepath.Join("/tmp", fmt.Sprintf("aura-%d", os.Getuid())))
}

// temporaryDir returns usual unless something that does not belong to this user has its name. Then it returns a directory of this user whose
// name begins with usual, or a new name that nobody can guess.
func temporaryDir(usual string) string {
	if info, err := os.Lstat(usual); err != nil || info.IsDir() && files.Ours(info) {
		return usual
	}
	// The pattern has no syntax that can fail.
	others, _ := filepath.Glob(usual + "-*")
	for _, dir := range others {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() && files.Ours(info) && fits(dir) {
			return dir
		}
	}
	return usual + "-" + randomName()
}

// randomName is short enough for a path of a socket.
var randomName = sync.OnceValue(func() string { return strings.ToLower(rand.Text()[:13]) })

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
	if !info.IsDir() || !files.Ours(info) {
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

func (s *Session) socketDir() string { return filepath.Join(s.dir, "p") }
func statusPath(dir string) string   { return filepath.Join(dir, "status") }
func aboutPath(dir string) string    { return filepath.Join(dir, "session") }
func controlPath(dir string) string  { return filepath.Join(dir, "control") }

// publish sets what the session reports on and controls.
func (s *Session) publish(of source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.source = of
}

// Describe sets what the session reports about itself: a value for JSON, which of returns at each call. It is called from any goroutine.
func (s *Session) Describe(of func() any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.describe = of
}

// Cancels sets how another process of the user ends the turn with a number: a function that returns why it does not. It is called from any
// goroutine.
func (s *Session) Cancels(by func(turn int) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel = by
}

// Answers sets how another process of the user answers a question: a function that returns why the answer does not count. It is called from any
// goroutine.
func (s *Session) Answers(by func(question, answer string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = by
}

// maxStatus is the largest status that is read, in bytes.
const maxStatus = 16 << 20

// statusTimeout limits how long writing or reading a status may take.
const statusTimeout = 2 * time.Second

// report writes the status.
func (s *Session) report(conn *net.UnixConn) {
	defer func() { _ = conn.Close() }()
	s.mu.Lock()
	source := s.source
	s.mu.Unlock()
	list := []Status{}
	if source != nil {
		list = source.statuses()
	}
	_ = conn.SetDeadline(time.Now().Add(statusTimeout))
	// A client that has gone does not need the answer.
	_ = json.NewEncoder(conn).Encode(list)
}

// reportSession writes the state of the session: null as long as there is none.
func (s *Session) reportSession(conn *net.UnixConn) {
	defer func() { _ = conn.Close() }()
	s.mu.Lock()
	describe := s.describe
	s.mu.Unlock()
	var state any
	if describe != nil {
		state = describe()
	}
	_ = conn.SetDeadline(time.Now().Add(statusTimeout))
	// A client that has gone does not need the answer.
	_ = json.NewEncoder(conn).Encode(state)
}

// Close removes the session's directory and releases its lock. The fleets that used the session must be closed first.
func (s *Session) Close() error {
	var err error
	for _, listener := range []net.Listener{s.status, s.about, s.control} {
		if listener != nil {
			err = errors.Join(err, listener.Close())
		}
	}
	s.serving.Wait()
	defer open.Delete(s)
	return errors.Join(err, removeLocked(s.dir, s.lock))
}
