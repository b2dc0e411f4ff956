//go:build !linux

package process

// mostIsolation is the most that this system has.
const mostIsolation = SharedNamespaces

// namespacesForbidden is false: this system has no namespaces, and none are asked for.
func namespacesForbidden(error) bool { return false }
