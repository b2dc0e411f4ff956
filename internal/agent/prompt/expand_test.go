package prompt_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/prompt"
)

func TestExpand(t *testing.T) {
	t.Parallel()
	tests := []struct{ body, args, want string }{
		{"", "a", ""},
		{"no place", "a b", "no place"},
		{"$1", "a b", "a"},
		{"$2 $1", "a b", "b a"},
		{"$1$1", "a", "aa"},
		{"[$3]", "a b", "[]"},
		{"[$1]", "", "[]"},
		{"$9", "1 2 3 4 5 6 7 8 9", "9"},
		{"$10", "a", "a0"},
		{"$0", "a", "$0"},
		{"$ARGUMENTS", "  a  'b c' ", "  a  'b c' "},
		{"[$ARGUMENTS]", "", "[]"},
		{"($ARGUMENTS).", "a b", "(a b)."},
		{"$ARGUMENTS_X $ARGUMENT $arguments", "a", "$ARGUMENTS_X $ARGUMENT $arguments"},
		{"$$1", "a", "$1"},
		{"$$$1", "a", "$a"},
		{"$$$$", "a", "$$"},
		{"$$ARGUMENTS", "a", "$ARGUMENTS"},
		{"costs $, $HOME, ${1} and $", "a", "costs $, $HOME, ${1} and $"},
		{"$1 $2", "$2 $ARGUMENTS", "$2 $ARGUMENTS"},
		{"$1", "$$", "$$"},
		{"$1|$2", `"a b" c`, "a b|c"},
		{"{{ $1 }}", "{{ .Agent }}", "{{ {{ }}"},
	}
	for _, tt := range tests {
		if got := prompt.Expand(tt.body, tt.args); got != tt.want {
			t.Errorf("%q with %q is %q, want %q", tt.body, tt.args, got, tt.want)
		}
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args string
		want []string
	}{
		{"", nil},
		{" \t\n", nil},
		{"a b", []string{"a", "b"}},
		{"  a \t\n b  ", []string{"a", "b"}},
		{`"a b" 'c d'`, []string{"a b", "c d"}},
		{`"" a ''`, []string{"", "a", ""}},
		{`a"b c"d`, []string{"ab cd"}},
		{`--text="a b" --x='c d'`, []string{"--text=a b", "--x=c d"}},
		{`"it's" 'say "hi"'`, []string{"it's", `say "hi"`}},
		{`"a \"b\" \\ \n"`, []string{`a "b" \ \n`}},
		{`'a \'`, []string{`a \`}},
		{`a\ b \"c \'d \\e`, []string{"a b", `"c`, "'d", `\e`}},
		{`C:\dir\new \d+`, []string{`C:\dir\new`, `\d+`}},
		{`end\`, []string{`end\`}},
		{"don't do it, won't you", []string{"don't", "do", "it,", "won't", "you"}},
		{`a "b c`, []string{"a", `"b`, "c"}},
		{"'a b", []string{"'a", "b"}},
		{`"`, []string{`"`}},
		{"größe 'ein wort' 日本", []string{"größe", "ein wort", "日本"}},
		{"a\u00a0b", []string{"a", "b"}},
	}
	for _, tt := range tests {
		if got := prompt.Split(tt.args); !slices.Equal(got, tt.want) {
			t.Errorf("%q is %q, want %q", tt.args, got, tt.want)
		}
	}
}

// FuzzExpand checks that splitting loses only white space, quotes and backslashes, and adds nothing.
func FuzzExpand(f *testing.F) {
	for _, seed := range []string{"", "a b", `"a b" c`, `don't "`, `\`, `\\ \" ' "`, "$1 $$ $ARGUMENTS"} {
		f.Add("$1,$2,$$,$ARGUMENTS", seed)
	}
	f.Fuzz(func(t *testing.T, body, args string) {
		if got := prompt.Expand("[$ARGUMENTS]", args); got != "["+args+"]" {
			t.Errorf("got %q", got)
		}
		if got := prompt.Expand(strings.ReplaceAll(body, "$", "$$"), args); got != body {
			t.Errorf("%q does not survive: %q", body, got)
		}
		drop := func(r rune) rune {
			if strings.ContainsRune(`"'\`, r) || strings.TrimSpace(string(r)) == "" {
				return -1
			}
			return r
		}
		kept, all := strings.Map(drop, strings.Join(prompt.Split(args), "")), strings.Map(drop, string([]rune(args)))
		if kept != all {
			t.Errorf("%q lost something: %q, want %q", args, kept, all)
		}
	})
}
