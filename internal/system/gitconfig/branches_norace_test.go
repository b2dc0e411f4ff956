//go:build !race

package gitconfig_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/gitconfig"
)

// TestMergeManyBranches merges files that are as large as they may be. If the time grew with the square of the size, it would take minutes.
func TestMergeManyBranches(t *testing.T) {
	t.Parallel()
	const count = 30_000
	build := func(each func(b *strings.Builder, i int)) string {
		var b strings.Builder
		for i := range count {
			each(&b, i)
		}
		return b.String()
	}
	one := "[branch \"a\"]\n" + build(func(b *strings.Builder, i int) { fmt.Fprintf(b, "\tmerge = refs/heads/%d\n", i) })
	keys := "[branch \"a\"]\n" + build(func(b *strings.Builder, i int) { fmt.Fprintf(b, "\tk%d = x\n", i) })
	branches := build(func(b *strings.Builder, i int) { fmt.Fprintf(b, "[branch \"b%d\"]\n\tremote = .\n", i) })
	for name, row := range map[string]struct {
		base, copied string
		refused      int
	}{
		"one more":     {base: one, copied: one + "\tmerge = refs/heads/x\n"},
		"all renamed":  {base: branches, copied: strings.ReplaceAll(branches, `"b`, `"c`)},
		"all changed":  {base: branches, copied: strings.ReplaceAll(branches, ".\n", ".\n\trebase = true\n")},
		"many refused": {base: one, copied: one + keys, refused: count},
		"all refused":  {base: keys, copied: strings.ReplaceAll(keys, "= x", "= y"), refused: count},
	} {
		got, err := gitconfig.MergeBranches([]byte(row.base), []byte(row.copied), []byte(row.base))
		if err != nil || len(got.Refused) != row.refused {
			t.Errorf("%s: %d refused, %v", name, len(got.Refused), err)
		}
	}
}
