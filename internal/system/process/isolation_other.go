//go:build !linux

package process

// mostIsolation is the highest level that this system supports.
const mostIsolation = SharedNamespaces

// namespacesForbidden returns false: this system has no namespaces, and none are requested.
func namespacesForbidden(error) bool { return false }
