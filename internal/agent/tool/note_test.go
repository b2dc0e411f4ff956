package tool_test

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
)

func TestFindLeftOutNote(t *testing.T) {
	t.Parallel()
	bytes, lines := tool.LeftOutNote("7 bytes", "the full output is in /tmp/a b/x.txt"), tool.LeftOutNote("3 lines (12 bytes)", "the full output could not be kept: no")
	tests := map[string]struct{ result, want string }{
		"none":          {"one\ntwo\n", ""},
		"in the middle": {"one\n" + bytes + "\ntwo\n", bytes},
		"lines":         {lines + "\n", lines},
		"the last":      {bytes + "\n" + lines + "\nend", lines},
		"part of one":   {"one " + bytes + "\ntwo", ""},
		"no number":     {tool.LeftOutNote("all", "gone"), ""},
		"too long":      {tool.LeftOutNote("7 bytes", strings.Repeat("x", 9000)), ""},
	}
	for name, tt := range tests {
		from, to, ok := tool.FindLeftOutNote(tt.result)
		if got := tt.result[from:to]; got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: got %q, %t", name, got, ok)
		}
	}
}
