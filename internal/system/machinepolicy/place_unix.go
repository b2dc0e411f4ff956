//go:build unix

package machinepolicy

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// systemDir returns the directory of the policy. /etc is a link on macOS.
func systemDir() string {
	if runtime.GOOS == "darwin" {
		return "/Library/Application Support/aura"
	}
	return "/etc/aura"
}

// onlyAdministrators returns an error if another user than root can change a file. An access list that grants more shows in the mode as
// rights of the group.
func onlyAdministrators(path string, info fs.FileInfo) error { return writableOnlyBy(path, info, 0) }

// ownOrAdministrators permits the user of this process too.
func ownOrAdministrators(path string, info fs.FileInfo) error {
	return writableOnlyBy(path, info, 0, os.Geteuid())
}

func writableOnlyBy(path string, info fs.FileInfo, owners ...int) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("%s: the owner is not known", path)
	}
	owned := false
	for _, owner := range owners {
		owned = owned || int(st.Uid) == owner
	}
	if !owned {
		return fmt.Errorf("%s belongs to the user %d, and only root may own the policy and its directories: chown root it", path, st.Uid)
	}
	const others = 0o022
	if info.Mode().Perm()&others != 0 {
		return fmt.Errorf("%s is writable by others than its owner (mode %04o): chmod go-w it", path, info.Mode().Perm())
	}
	return nil
}
