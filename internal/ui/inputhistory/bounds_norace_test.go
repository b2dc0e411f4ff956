//go:build !race

package inputhistory_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBounds(t *testing.T) {
	t.Parallel()
	t.Run("entries", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "prompts")
		var text strings.Builder
		for i := range 2000 {
			fmt.Fprintf(&text, "{\"text\":\"%d\"}\n", i)
		}
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		h := open(t, path)
		add(t, h, "last")
		got := all(open(t, path))
		if len(got) != 1000 || got[0] != "last" || got[1] != "1999" || len(all(h)) != 1000 {
			t.Errorf("%d entries, %q", len(got), got[:2])
		}
	})
	t.Run("bytes", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "prompts")
		h := open(t, path)
		for i := range 40 {
			add(t, h, fmt.Sprint(i)+strings.Repeat("x", 60<<10))
		}
		info, err := os.Stat(path)
		if err != nil || info.Size() > 1<<20 {
			t.Errorf("the file is %v, %v", info, err)
		}
		if got := all(open(t, path)); len(got) != 17 || !strings.HasPrefix(got[0], "39x") || len(all(h)) != 17 {
			t.Errorf("%d entries", len(got))
		}
	})
	t.Run("a file that is too large", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "prompts")
		if err := os.WriteFile(path, []byte(strings.Repeat("x", 3<<20)+"\n{\"text\":\"one\"}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := all(open(t, path)); fmt.Sprint(got) != "[one]" {
			t.Errorf("got %d entries", len(got))
		}
	})
}
