package terminal_test

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/ui/terminal"
)

func TestCall(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		tool string
		args map[string]any
		want string
	}{
		"command":           {"Bash", map[string]any{"command": `echo "hi  there" > x && cat <x`}, `Bash echo "hi  there" > x && cat <x`},
		"lines":             {"Bash", map[string]any{"command": "cat <<E\n\ta\nE\n"}, "Bash \n  cat <<E\n  \ta\n  E"},
		"control sequences": {"Bash", map[string]any{"command": "rm x\x1b[2K\recho"}, "Bash rm x<U+001B>[2K<U+000D>echo"},
		"reversed":          {"Bash", map[string]any{"command": "a\u202eb"}, "Bash a<U+202E>b"},
		"no arguments":      {"Ls", nil, "Ls"},
		"several":           {"Edit", map[string]any{"path": "a b", "old": "x\ny", "new": "<z>", "replace_all": true}, "Edit\n  new: <z>\n  old: \n    x\n    y\n  path: a b\n  replace_all: true"},
		"structured":        {"T", map[string]any{"list": []any{1, "a>b"}}, "T\n  list: [1,\"a>b\"]"},
		"odd names":         {"a\nb\x1b", map[string]any{"k\ny": "v"}, "a b<U+001B>\n  k y: v"},
	} {
		if got, err := terminal.Call(row.tool, row.args); err != nil || got != row.want {
			t.Errorf("%s: got %q (%v), want %q", name, got, err, row.want)
		}
	}
	long, err := terminal.Call("Bash", map[string]any{"command": strings.Repeat("x\n", 500)})
	if err != nil || !strings.HasSuffix(long, "[200 more bytes are not shown: answer no unless you know them]") {
		t.Errorf("a long command: %v, %q", err, long[len(long)-100:])
	}
}

// TestChange checks that a diff about which a user decides is shown whole, with control characters by their names.
func TestChange(t *testing.T) {
	t.Parallel()
	look := terminal.Look{Width: func() int { return 20 }}
	long := strings.Repeat("x", 100)
	if got := look.Change("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-\u202e\n+" + long + "\x1b[2K\n"); got != terminal.Styled("  --- a/a\n  +++ b/a\n  @@ -1 +1 @@\n  -<U+202E>\n  +"+long+"<U+001B>[2K\n") {
		t.Errorf("got %q", got)
	}
	if got := string(look.Change(strings.Repeat("+x\n", 500))); !strings.Contains(got, "300 more bytes are not shown") {
		t.Errorf("a long diff ends in %q", got[len(got)-100:])
	}
}
