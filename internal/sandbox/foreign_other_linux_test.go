//go:build linux && !amd64

package sandbox_test

// foreignCalls has nothing to call by on this architecture.
var foreignCalls map[string]uintptr
