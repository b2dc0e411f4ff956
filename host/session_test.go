package host

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// shortDir returns a directory whose path is short enough for a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ah") //nolint:usetesting // t.TempDir has the name of the test in it, which is too long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// reporting is a source that reports on plugins and cannot control them.
type reporting []PluginHealth

func (r reporting) statuses() []Status {
	var out []Status
	for _, h := range r {
		out = append(out, Status{PluginHealth: h})
	}
	return out
}

func (reporting) act(order) (Answer, error) { return Answer{}, errors.New("it only reports") }

func TestSessionsSeeEachOther(t *testing.T) {
	t.Parallel()
	base := filepath.Join(shortDir(t), "aura")
	a, err := OpenSession(base, "a")
	if err != nil {
		t.Fatal(err)
	}
	b, err := OpenSession(base, "b")
	if err != nil {
		t.Fatal(err)
	}
	want := PluginHealth{Name: "p", Dir: "d", Health: Health{Session: "a", Pid: 7, State: StateReady, LastExit: "why"}}
	a.publish(reporting{want})
	if got := Running(base); !reflect.DeepEqual(got, []PluginHealth{want}) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if got := Running(base); len(got) != 0 {
		t.Errorf("a closed session still reports %+v", got)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(base, "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestDeadSessionsAreSwept(t *testing.T) {
	t.Parallel()
	base := filepath.Join(shortDir(t), "aura")
	dead := filepath.Join(base, "s-dead")
	if err := os.MkdirAll(dead, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dead, "lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	young := filepath.Join(base, "s-young")
	if err := os.Mkdir(young, 0o700); err != nil {
		t.Fatal(err)
	}
	alive, err := OpenSession(base, "alive")
	if err != nil {
		t.Fatal(err)
	}
	second, err := OpenSession(base, "second")
	if err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]bool{dead: false, young: true, alive.dir: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s exists: %t, want %t", filepath.Base(dir), err == nil, want)
		}
	}
	if alive.Close() != nil || second.Close() != nil {
		t.Error("closing failed")
	}
}

func TestRuntimeDir(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	long := filepath.Join(dir, "a-directory-with-a-name-that-is-far-too-long-for-a-socket-in-it")
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	// exact creates a directory whose path has n bytes.
	exact := func(n int) string {
		path := dir + "/" + strings.Repeat("x", n-len(dir)-1)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	rows := []struct{ name, xdg, tmp, want string }{
		{"the user's own", dir, "/t", filepath.Join(dir, "aura")},
		{"temporary", "", "/t", "/t"},
		{"not a directory", filepath.Join(dir, "no"), "/t", "/t"},
		{"too long", long, long, "/tmp"},
		{"just short enough", exact(103 - len(longestName) - len("/aura")), "/t", "aura"},
		{"one too long", exact(104 - len(longestName) - len("/aura")), "/t", "/t"},
	}
	for _, row := range rows {
		got := RuntimeDir(row.xdg, row.tmp)
		if got != row.want && filepath.Dir(got) != row.want && filepath.Base(got) != row.want {
			t.Errorf("%s: got %s, want it in %s", row.name, got, row.want)
		}
	}
}

// TestSessionsAreFoundWhereverTheyAre looks for sessions from a different environment than theirs.
func TestSessionsAreFoundWhereverTheyAre(t *testing.T) {
	t.Parallel()
	tmp := shortDir(t)
	s, err := OpenSession(RuntimeDir("", tmp), "a")
	if err != nil {
		t.Fatal(err)
	}
	s.publish(reporting{{Name: "p"}})
	found := 0
	for _, h := range Running(RuntimeDirs(shortDir(t), tmp)...) {
		if h.Name == "p" && h.Session == "" {
			found++
		}
	}
	if found != 1 {
		t.Errorf("found it %d times", found)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestRuntimeDirOfSomeoneElseIsRefused(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	link := filepath.Join(dir, "aura")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if s, err := OpenSession(link, "x"); err == nil {
		_ = s.Close()
		t.Error("a link was taken for a directory of our own")
	}
	open := filepath.Join(dir, "open")
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := OpenSession(open, "x")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(open); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("an open directory stayed open: %v, %v", info.Mode(), err)
	}
	s.publish(reporting{{Name: "p"}})
	linked := filepath.Join(dir, "linked")
	if err := os.Symlink(open, linked); err != nil {
		t.Fatal(err)
	}
	if len(Running(open)) != 1 || len(Running(linked)) != 0 {
		t.Errorf("found %v, and through a link %v", Running(open), Running(linked))
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestSessionsOpenedSideBySide opens sessions while others sweep the same directory. A session that is being created must not
// be taken for dead.
func TestSessionsOpenedSideBySide(t *testing.T) {
	t.Parallel()
	base := shortDir(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 25 {
				s, err := OpenSession(base, "x")
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := os.Stat(statusPath(s.dir)); err != nil {
					t.Errorf("it was swept away: %v", err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}
