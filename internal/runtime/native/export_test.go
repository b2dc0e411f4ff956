package native

import "testing"

// FailSync makes builds fail when they make their result durable, until the test ends. The test must not run beside others.
func FailSync(t *testing.T, err error) {
	t.Helper()
	before := syncTree
	t.Cleanup(func() { syncTree = before })
	syncTree = func(string) error { return err }
}
