//go:build !windows

package host

import (
	"errors"
	"os"

	"github.com/idelchi/aura/internal/base/lock"
)

// noSockets reports whether an error means that this system has no Unix sockets. All of these systems have them.
func noSockets(error) bool { return false }

// removeLocked removes a directory with the lock file in it, while the lock keeps others from taking the directory for a stale one.
func removeLocked(dir string, l *lock.Lock) error { return errors.Join(os.RemoveAll(dir), l.Release()) }
