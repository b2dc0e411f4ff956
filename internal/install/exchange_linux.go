package install

import "golang.org/x/sys/unix"

// exchange swaps two directories in one step, so that there is no moment at which neither is in its place.
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
