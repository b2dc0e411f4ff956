//go:build !unix

package files

// SyncDir does nothing: on this system directories cannot be synced, and syncing a file makes its name durable.
func SyncDir(string) error { return nil }
