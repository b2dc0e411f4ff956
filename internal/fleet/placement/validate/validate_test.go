package validate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// grace is the time in seconds that every specification gives a worker to end.
const grace = 120

// specifications returns the files of one kind, and fails if there are none.
func specifications(t *testing.T, pattern string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "testdata", pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no files %s: %v", pattern, err)
	}
	out := map[string][]byte{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(path)] = text
	}
	return out
}

// isJob and isRestricted report by a file's name how it was written.
func isJob(name string) bool        { return strings.Contains(name, "-job") }
func isRestricted(name string) bool { return strings.Contains(name, "-restricted") }
