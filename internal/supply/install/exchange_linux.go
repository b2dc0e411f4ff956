package install

import "golang.org/x/sys/unix"

// exchange swaps two directories atomically, so that each path exists at every moment.
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
