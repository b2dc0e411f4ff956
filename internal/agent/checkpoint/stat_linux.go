package checkpoint

import (
	"io/fs"
	"syscall"
)

// identity returns the time of the last change of a file's state, and its number.
func identity(info fs.FileInfo) (changed int64, inode uint64) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return stat.Ctim.Nano(), stat.Ino
}

// device returns the number of the file system on which something is.
func device(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Dev) //nolint:unconvert // its type differs between architectures
	}
	return 0
}

// linked reports whether a file has several names.
func linked(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 1
}
