package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/base/files"
)

// TestNeverOpened reads what is not a regular file: the kernel reports that nobody opened it. Some devices act when they are
// opened. As a control, opening it is reported.
func TestNeverOpened(t *testing.T) {
	t.Parallel()
	path := filepath.Join(scene(t), "pipe")
	watch, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(watch) }()
	if _, err := unix.InotifyAddWatch(watch, path, unix.IN_OPEN); err != nil {
		t.Fatal(err)
	}
	opened := func() bool {
		n, err := unix.Read(watch, make([]byte, unix.SizeofInotifyEvent+unix.NAME_MAX+1))
		if err != nil && !errors.Is(err, unix.EAGAIN) {
			t.Fatal(err)
		}
		return n > 0
	}
	for _, read := range []func(string, int64) ([]byte, error){files.Read, files.ReadNoFollow} {
		if _, err := read(path, 1); !errors.Is(err, files.ErrNotRegular) {
			t.Errorf("error is %v, want %v", err, files.ErrNotRegular)
		}
	}
	if opened() {
		t.Error("the pipe was opened")
	}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if !opened() {
		t.Error("the control was not reported")
	}
}
