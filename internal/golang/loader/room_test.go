package loader

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRoom reads a plugin with more source than there is room for. Files that are excluded do not count, and the error is reported once.
func TestRoom(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := "package p\n// " + strings.Repeat("x", 100) + "\n"
	for name, text := range map[string]string{"go.mod": "module p\n", "a.go": text, "a_plan9.go": text, "b.go": text, "b_plan9.go": text, "c.go": text, "d.go": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for room, want := range map[int]string{2 * len(text): "c.go:1", 2*len(text) - 1: "b.go:1", 4 * len(text): "", MaxSource: ""} {
		var found []string
		s := newSource(dir, Target{}, func(e *Error) error {
			found = append(found, strings.TrimPrefix(e.Error(), dir+string(filepath.Separator)))
			return nil
		})
		if s.room != MaxSource {
			t.Fatalf("there is room for %d bytes, want %d", s.room, MaxSource)
		}
		s.room = room
		if err := s.read(); err != nil {
			t.Fatal(err)
		}
		if want != "" {
			want += ": the plugin and its vendored packages have more than 64 MiB of source, which is the limit"
		}
		if got := strings.Join(found, "\n"); got != want {
			t.Errorf("with room for %d bytes: got %q, want %q", room, got, want)
		}
	}
}
