package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestLimits checks a plugin for which the type checker needs more time and memory than there is: each nested call doubles a type.
func TestLimits(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "doubling")
	const source = "package doubling\n\ntype P[A, B any] struct{}\n\nfunc g[T any](t T) P[T, T] { return P[T, T]{} }\n\nvar x any = "
	for name, text := range map[string]string{
		"plugin.yaml": "description: x\n", "go.mod": "module doubling\n\ngo 1.26\n", "main.go": source + strings.Repeat("g(", 21) + "1" + strings.Repeat(")", 21) + "\n",
	} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for want, l := range map[string]limits{
		"checking it takes more than the limit of 50ms":            {50 * time.Millisecond, 1 << 40},
		"checking it takes more than the limit of 4 MiB of memory": {time.Minute, 4 << 20},
	} {
		start := time.Now()
		found := within(l, dir, Options{})
		if len(found) != 1 || found[0].Message != want || found[0].Severity != Error {
			t.Errorf("got %+v, want %s", found, want)
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("it took %s", took)
		}
	}
}
