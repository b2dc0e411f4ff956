package planted

import (
	"errors"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNotifierEnds checks that a scanner that nobody uses any more gives back its descriptor. It runs alone, so that no other test gets that
// number.
func TestNotifierEnds(t *testing.T) { //nolint:paralleltest // other tests would get the number
	fd := newScanner(t.TempDir(), nil).changes.fd
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
