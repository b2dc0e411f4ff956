package prompt_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/prompt"
)

// TestMentions has a row for each rule about @ in a prompt. Mentions are listed with their paths, the longest first.
func TestMentions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		plain string
		found []string
	}{
		"no mention":                     {"no mention", nil},
		"review @main.go":                {"review @main.go", []string{"@main.go: main.go"}},
		"@a/b.go and\n@/etc/hosts":       {"@a/b.go and\n@/etc/hosts", []string{"@a/b.go: a/b.go", "@/etc/hosts: /etc/hosts"}},
		"what is in @main.go?":           {"what is in @main.go?", []string{"@main.go: main.go? main.go"}},
		"(see @a.md).":                   {"(see @a.md).", []string{"@a.md: a.md). a.md) a.md"}},
		"two: @a,@b":                     {"two: @a,@b", []string{"@a,@b: a,@b", "@b: b"}},
		`read @"my file.txt" now`:        {`read @"my file.txt" now`, []string{`@"my file.txt": my file.txt`}},
		`read @"my file`:                 {`read @"my file`, nil},
		`read @""`:                       {`read @""`, nil},
		"mail a@b.c":                     {"mail a@b.c", nil},
		"@@ -1,2 +1,2 @@":                {"@@ -1,2 +1,2 @@", nil},
		"an @ alone, @":                  {"an @ alone, @", nil},
		`the decorator \@main.go`:        {`the decorator @main.go`, nil},
		`\@a @b \\@c`:                    {`@a @b \@c`, []string{"@b: b"}},
		`C:\dir stays`:                   {`C:\dir stays`, nil},
		"not UTF-8 \xff @a \xfe":         {"not UTF-8 \xff @a \xfe", []string{"@a: a"}},
		"@...":                           {"@...", nil},
		"`@a.go` and \"@b.go\" too":      {"`@a.go` and \"@b.go\" too", []string{"@a.go: a.go` a.go", "@b.go: b.go\" b.go"}},
		"@Überblick.md, bitte: @日本語.txt": {"@Überblick.md, bitte: @日本語.txt", []string{"@Überblick.md: Überblick.md, Überblick.md", "@日本語.txt: 日本語.txt"}},
	} {
		plain, found := prompt.Mentions(text)
		var got []string
		for _, m := range found {
			got = append(got, m.Text+": "+strings.Join(m.Paths, " "))
		}
		if plain != want.plain || !slices.Equal(got, want.found) {
			t.Errorf("%q is %q with %q, want %q with %q", text, plain, got, want.plain, want.found)
		}
	}
}

func FuzzMentions(f *testing.F) {
	for _, seed := range []string{"", "@a", `\@`, `@"a b"`, "a@b", "@@", "\xff@\xfe", "@日本"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if plain, found := prompt.Mentions(prompt.Escape(text)); plain != text || found != nil {
			t.Errorf("%q is %q with %v when it is escaped", text, plain, found)
		}
		plain, found := prompt.Mentions(text)
		if len(plain) > len(text) {
			t.Errorf("%q grew to %q", text, plain)
		}
		for _, m := range found {
			if len(m.Paths) == 0 || slices.Contains(m.Paths, "") {
				t.Errorf("%q mentions %+v", text, m)
			}
		}
	})
}
