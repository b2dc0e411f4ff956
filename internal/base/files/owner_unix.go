//go:build unix

package files

import (
	"os"
	"syscall"
)

// Ours reports whether a file belongs to this user.
func Ours(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
