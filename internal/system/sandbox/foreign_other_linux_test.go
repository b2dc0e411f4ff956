//go:build linux && !amd64

package sandbox_test

// foreignCalls is empty: this architecture has no other interface.
var foreignCalls map[string]uintptr
