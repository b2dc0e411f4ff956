package nearest_test

import (
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/base/nearest"
)

func TestNames(t *testing.T) {
	t.Parallel()
	known := []string{"Bash", "Read", "Rg", "Write", "TodoCreate", "TodoList"}
	for _, tt := range []struct {
		rule, name string
		want       []string
	}{
		{"another case", "bash", []string{"Bash"}},
		{"a letter replaced", "Reed", []string{"Read"}},
		{"a letter too many", "Writee", []string{"Write"}},
		{"a letter missing", "Wrte", []string{"Write"}},
		{"a beginning", "Todo", []string{"TodoCreate", "TodoList"}},
		{"nothing like it", "Notepad", nil},
		{"short names differ little", "X", nil},
		{"no name", "", nil},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			if got := nearest.Names(tt.name, known); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestHint(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Reed": `; did you mean "Read"?`, "Todo": `; did you mean "TodoA" or "TodoB"?`, "Notepad": "",
	} {
		if got := nearest.Hint(name, []string{"Read", "TodoB", "TodoA"}); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
