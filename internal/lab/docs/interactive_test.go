package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/base/keymap"
)

// TestKeysTable checks that the table of keys in docs/interactive.md is the one of the code. With -update it writes the table.
func TestKeysTable(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "..", "docs", "interactive.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const head = "| keys | action | what it does |\n| --- | --- | --- |\n"
	before, after, found := strings.Cut(string(page), head)
	if !found {
		t.Fatal("docs/interactive.md has no table of keys")
	}
	_, after, _ = strings.Cut("\n"+after, "\n\n")
	var table strings.Builder
	for _, b := range keymap.Bindings() {
		fmt.Fprintf(&table, "| `%s` | `%s` | %s |\n", strings.Join(b.Keys, "`, `"), b.Action, b.About)
	}
	want := before + head + table.String() + "\n" + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(page) != want {
		t.Error("the table of keys is out of date: run go test ./internal/lab/docs -run TestKeysTable -update")
	}
}
