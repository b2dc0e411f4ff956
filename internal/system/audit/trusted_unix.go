//go:build unix

package audit

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// trusted returns an error for a file that another user could read or change: somebody may have made it before.
func trusted(path string, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok || int(st.Uid) != os.Geteuid() && st.Uid != 0:
		return fmt.Errorf("%s belongs to another user; name one file for each user, such as audit-{user}.jsonl", path)
	case int(st.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s is writable by others: chmod go-w %s", path, path)
	}
	return nil
}
