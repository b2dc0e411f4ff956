package relay_test

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/ui/relay"
)

// TestOutput checks what is kept of an output, in whichever pieces it comes.
func TestOutput(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789\n", limit.Shared/11)
	for name, row := range map[string]struct {
		output, text string
		cut, whole   bool
	}{
		"nothing":              {"", "", false, false},
		"lines":                {"a\r\n\r\nb\r\n", "a\n\nb", false, false},
		"an open line":         {"a\r\nb", "a\nb", false, false},
		"colours":              {"\x1b[31mred\x1b[0m\r\n", "red", false, false},
		"a title":              {"\x1b]0;title\aa\r\n", "a", false, false},
		"an open title":        {"\x1b]0;title\r\na\r\n", "a", false, false},
		"progress":             {"10%\r20%\rdone\r\nnext\r\n", "done\nnext", false, false},
		"not UTF-8":            {"a\xffb\r\n", "a\uFFFDb", false, false},
		"exactly the limit":    {long + strings.Repeat("x", limit.Shared-len(long)), long + strings.Repeat("x", limit.Shared-len(long)), false, false},
		"more than the limit":  {"first\n" + long + long, strings.TrimSuffix(long, "\n"), true, false},
		"a line over it":       {strings.Repeat("x", 3*limit.Shared), strings.Repeat("x", limit.Shared), true, false},
		"the alternate screen": {"\x1b[?1049hvim\x1b[?1049l", "vim", false, true},
		"an older one":         {"\x1b[?47h", "", false, true},
		"among other modes":    {"\x1b[?25;1047;7h", "", false, true},
		"only back from it":    {"\x1b[?1049l", "", false, false},
		"another mode":         {"\x1b[?25h\x1b[?1049$p", "", false, false},
		"not a mode":           {"[?1049h", "[?1049h", false, false},
	} {
		for _, size := range []int{1, 7, 1 << 20} {
			var o relay.Output
			for rest := row.output; rest != ""; {
				n := min(size, len(rest))
				if _, err := o.Write([]byte(rest[:n])); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if text, cut := o.Text(); text != row.text || cut != row.cut || o.TookScreen() != row.whole {
				t.Errorf("%s, in pieces of %d: got %.80q (%d bytes), cut %v, whole screen %v", name, size, text, len(text), cut, o.TookScreen())
			}
		}
	}
}
