package cli

import (
	"regexp"
	"strings"
	"testing"
)

// TestForeignWords checks that no word is a command of aura or known twice, and that each explanation names commands and flags that exist.
func TestForeignWords(t *testing.T) {
	t.Parallel()
	root := newRoot(streams{in: strings.NewReader(""), out: &strings.Builder{}, err: &strings.Builder{}})
	seen := map[string]bool{}
	quoted := regexp.MustCompile(`"aura([^"]*)"`)
	for _, e := range foreignWords {
		for _, word := range e.words {
			if found, _, err := root.Find([]string{word}); seen[word] || err == nil && found != root {
				t.Errorf("%q is known twice, or a command", word)
			}
			seen[word] = true
		}
		named := quoted.FindAllStringSubmatch(e.does, -1)
		if len(named) == 0 {
			t.Errorf("%q names no command", e.does)
		}
		for _, match := range named {
			cmd := root
			for word := range strings.FieldsSeq(match[1]) {
				switch flag, isFlag := strings.CutPrefix(word, "--"); {
				case isFlag && root.PersistentFlags().Lookup(flag) == nil:
					t.Errorf("%q: there is no flag %s", e.does, word)
				case !isFlag && word == strings.ToLower(word):
					below, _, err := cmd.Find([]string{word})
					if err != nil || below == cmd {
						t.Errorf("%q: there is no command %s", e.does, word)
					}
					cmd = below
				}
			}
		}
	}
}
