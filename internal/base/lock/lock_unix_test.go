//go:build unix

package lock_test

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/lock"
)

// kinds holds the ways to lock something. Each function waits until the lock is free or ctx ends.
var kinds = map[string]func(ctx context.Context, path string, waiting func()) (*lock.Lock, error){
	"file": func(ctx context.Context, path string, waiting func()) (*lock.Lock, error) {
		return lock.Wait(ctx, path, waiting)
	},
	"directory": func(ctx context.Context, path string, waiting func()) (*lock.Lock, error) {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return nil, err
		}
		return lock.WaitDir(ctx, path, waiting)
	},
}

func TestWait(t *testing.T) {
	t.Parallel()

	for name, take := range kinds {
		path := filepath.Join(t.TempDir(), name)
		first, err := take(t.Context(), path, func() { t.Errorf("%s: nobody holds it", name) })
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("stop")
		if _, err := take(ctx, path, func() { cancel(stop) }); !errors.Is(err, stop) {
			t.Errorf("%s, canceled: got %v", name, err)
		}
		waited := 0
		second, err := take(t.Context(), path, func() { waited++; release(t, first) })
		if err != nil || waited != 1 {
			t.Fatalf("%s: waited %d times, %v", name, waited, err)
		}
		release(t, second)
	}
}

func TestTry(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	path := filepath.Join(dir, "lock")
	if _, err := lock.Try(path, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: got %v", err)
	}
	held, err := lock.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock.Try(path, 0); !errors.Is(err, lock.ErrHeld) {
		t.Errorf("held file: got %v", err)
	}
	release(t, held)
	if held, err = lock.TryContent(path); err != nil {
		t.Fatalf("released file: %v", err)
	}
	release(t, held)
	if err := os.Symlink(path, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if _, err := lock.Try(filepath.Join(dir, "link"), os.O_CREATE); !errors.Is(err, files.ErrLink) {
		t.Errorf("link: got %v", err)
	}
	if _, err := lock.Try(dir, 0); err == nil {
		t.Error("a directory was taken for a file")
	}
}

// A file that is removed or replaced during the wait for its lock must not be locked.
func TestReplaced(t *testing.T) {
	t.Parallel()

	tests := map[string]func(path string) error{
		"removed":  os.RemoveAll,
		"replaced": func(path string) error { return errors.Join(os.RemoveAll(path), os.Symlink(os.TempDir(), path)) },
	}
	for name, change := range tests {
		path := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		first, err := lock.WaitDir(t.Context(), path, func() {})
		if err != nil {
			t.Fatal(err)
		}
		_, err = lock.WaitDir(t.Context(), path, func() {
			if err := change(path); err != nil {
				t.Error(err)
			}
			release(t, first)
		})
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A child that is still running does not keep a lock that its parent has released.
func TestChild(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "lock")
	held, err := lock.Wait(t.Context(), path, func() {})
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command("sh", "-c", "echo ready; read line")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	release(t, held)
	again, err := lock.Try(path, 0)
	if err != nil {
		t.Errorf("while the child runs: %v", err)
	}
	release(t, again)
	if err := errors.Join(in.Close(), child.Wait()); err != nil && child.ProcessState == nil {
		t.Error(err)
	}
}

func release(t *testing.T, l *lock.Lock) {
	t.Helper()
	if err := l.Release(); err != nil {
		t.Error(err)
	}
}
