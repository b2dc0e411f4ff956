//go:build !linux

package files

import "os"

// SyncData makes the content of a file durable.
func SyncData(f *os.File) error { return f.Sync() }
