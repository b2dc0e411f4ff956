package plaintext_test

import (
	"testing"

	"github.com/idelchi/aura/internal/base/plaintext"
)

// TestList checks the columns of a list.
func TestList(t *testing.T) {
	t.Parallel()
	const long = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
	for name, row := range map[string]struct {
		rows [][2]string
		want string
	}{
		"nothing":         {nil, ""},
		"aligned":         {[][2]string{{"a", "first"}, {"bcd", "second"}}, "a    first\nbcd  second"},
		"a long term":     {[][2]string{{"a", "first"}, {"a-term-of-more-than-24-letters", "second"}}, "a  first\na-term-of-more-than-24-letters\n   second"},
		"only long terms": {[][2]string{{"a-term-of-more-than-24-letters", "x"}}, "a-term-of-more-than-24-letters\n  x"},
		"a long meaning": {
			[][2]string{{"a", long}},
			"a  one two three four five six seven eight nine ten eleven twelve thirteen\n   fourteen fifteen",
		},
		"no meaning":      {[][2]string{{"a", ""}, {"b", "x"}}, "a\nb  x"},
		"blanks and rows": {[][2]string{{"ä", "x \n y"}}, "ä  x y"},
	} {
		if got := plaintext.List(row.rows); got != row.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, row.want)
		}
	}
}
