//go:build unix

package doctor

import "golang.org/x/sys/unix"

// freeSpace returns the number of bytes that this user can still write to the disk that holds dir.
func freeSpace(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil //nolint:unconvert,gosec // the types differ between systems; neither is negative
}
