//go:build !linux

package netgate

const controlSize = 0

// replyFrom returns nil: there are no namespaces on this system.
func replyFrom([]byte) []byte { return nil }
