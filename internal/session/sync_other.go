//go:build !unix

package session

// syncDir does nothing: here directories cannot be synced, their names are durable with the file's own sync.
func syncDir(string) error { return nil }
