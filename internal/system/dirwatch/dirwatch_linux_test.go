package dirwatch

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestEnds checks that a watch that nobody uses any more gives back its descriptor. It runs alone, so that no other test gets that number.
func TestEnds(t *testing.T) { //nolint:paralleltest // other tests would get the number
	fd := New(Entries, 1).fd
	if fd < 0 {
		t.Fatal("the kernel reports no changes")
	}
	for {
		runtime.GC()
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); errors.Is(err, unix.EBADF) {
			return
		}
	}
}

// TestTaken checks that a process has few descriptors, and that a watch whose descriptor another one took reports that everything changed.
func TestTaken(t *testing.T) { //nolint:paralleltest // other tests would take descriptors
	dir := t.TempDir()
	w := New(Entries, 1)
	defer w.Close()
	var d Dir
	w.Add(dir, &d)
	others := make([]*Watch, instances)
	for i := range others {
		others[i] = New(Entries, 1)
		defer others[i].Close()
	}
	if w.fd >= 0 || !w.Pending() {
		t.Fatalf("the watch has descriptor %d, and changes are pending: %v", w.fd, w.Pending())
	}
	var late Dir
	if w.Add(dir, &late); late.Watched {
		t.Error("a watch without a descriptor watches a directory")
	}
	w.Update()
	if !d.Dirty || d.Watched || w.fd < 0 || others[0].fd >= 0 || w.Pending() {
		t.Errorf("the watch has descriptor %d, the one that was used least %d: %+v", w.fd, others[0].fd, d)
	}
	w.Add(dir, &d)
	d.Dirty = false
	if err := os.Mkdir(filepath.Join(dir, "new"), 0o700); err != nil {
		t.Fatal(err)
	}
	if w.Update(); !d.Dirty {
		t.Error("a change is not reported")
	}
	if held := len(holders.list); held > instances {
		t.Errorf("%d watches have descriptors", held)
	}
}

// TestWatch checks which directories a watch marks.
func TestWatch(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		mask uint32
		do   func(w *Watch, dir string) error
		want [2]Dir // the directory, and another one beside it
	}{
		"nothing":         {Content, func(*Watch, string) error { return nil }, [2]Dir{{Watched: true}, {Watched: true}}},
		"a new file":      {Entries, func(_ *Watch, dir string) error { return os.Mkdir(filepath.Join(dir, "new"), 0o700) }, [2]Dir{{Dirty: true}, {Watched: true}}},
		"content":         {Content, write, [2]Dir{{Dirty: true}, {Watched: true}}},
		"content, unseen": {Entries, write, [2]Dir{{Watched: true}, {Watched: true}}},
		"another name": {Entries, func(w *Watch, dir string) error {
			w.Add(dir, &Dir{})
			return nil
		}, [2]Dir{{Dirty: true}, {Watched: true}}},
		"lost events": {Entries, func(w *Watch, _ string) error {
			w.Restart()
			return nil
		}, [2]Dir{{Dirty: true}, {Dirty: true}}},
		"full": {Entries, func(w *Watch, dir string) error {
			var third, fourth Dir
			w.Add(filepath.Dir(dir), &third)
			w.Add(os.TempDir(), &fourth)
			if !third.Watched || fourth.Watched || w.Len() != 3 {
				return errors.New("a directory beyond the limit is watched, or one within it is not")
			}
			return nil
		}, [2]Dir{{Watched: true}, {Watched: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			var dirs [2]Dir
			w := New(tt.mask, 3)
			defer w.Close()
			for i, sub := range []string{"a", "b"} {
				dir := filepath.Join(base, sub)
				if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "file"), nil, 0o600)); err != nil {
					t.Fatal(err)
				}
				w.Add(dir, &dirs[i])
			}
			if err := tt.do(w, filepath.Join(base, "a")); err != nil {
				t.Fatal(err)
			}
			w.Update()
			for i := range dirs {
				dirs[i].number = 0
			}
			if dirs != tt.want || w.Pending() {
				t.Errorf("got %+v, want %+v", dirs, tt.want)
			}
		})
	}
}

func write(_ *Watch, dir string) error {
	return os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o600)
}
