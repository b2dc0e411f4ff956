//go:build unix

package web

import (
	"os"
	"syscall"
)

// ownedByUs reports whether a file belongs to this user.
func ownedByUs(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
