//go:build !unix

package session

// syncDir does nothing: on this system directories cannot be synced, and syncing a file makes its name durable.
func syncDir(string) error { return nil }
