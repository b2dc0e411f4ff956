//go:build unix

package doctor

import "golang.org/x/sys/unix"

// freeSpace is what this user may still write to the disk of a directory, in bytes.
func freeSpace(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil //nolint:unconvert,gosec // the types differ between systems; neither is negative
}
