//go:build unix

package docs

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testhelp"
)

// commandHelp holds the help text of a command.
type commandHelp struct {
	below []string
	flags []string
	// args reports whether words after the command need not be commands.
	args bool
}

var usageLine = regexp.MustCompile(`(?m)^  (aura.*)$`)

// commandTree returns the help of every command.
func commandTree(t *testing.T) map[string]commandHelp {
	t.Helper()
	tree := map[string]commandHelp{}
	var ask func(path []string)
	ask = func(path []string) {
		text := help(t, path...)
		c := commandHelp{flags: append(flagsOf(text), "help")}
		_, usage, _ := strings.Cut(text, "Usage:\n")
		usage, _, _ = strings.Cut(usage, "\n\n")
		for _, m := range usageLine.FindAllStringSubmatch(usage, -1) {
			rest := strings.TrimPrefix(m[1], strings.TrimSpace("aura "+strings.Join(path, " ")))
			rest = strings.NewReplacer("[flags]", "", "[command]", "").Replace(rest)
			c.args = c.args || strings.TrimSpace(rest) != ""
		}
		c.below = testhelp.Commands(text)
		tree[strings.Join(path, " ")] = c
		for _, name := range c.below {
			ask(append(slices.Clone(path), name))
		}
	}
	ask(nil)
	return tree
}

// ofOthers lists flags of other programs that pages mention.
var ofOthers = []string{"output-format", "sandbox", "print"}

var (
	codeSpan  = regexp.MustCompile("`([^`\n]+)`")
	flagWord  = regexp.MustCompile(`^--([a-z][a-z-]*)(?:=.*)?$`)
	plainWord = regexp.MustCompile(`^[a-z][a-z-]*$`)
	// separator matches the text between commands of one shell line.
	separator = regexp.MustCompile(`\|\||&&|[;|()]|\$\(`)
)

// TestNamedCommandsExist checks that each command of aura and each flag exists that the pages name, in text and in examples.
func TestNamedCommandsExist(t *testing.T) {
	t.Parallel()
	tree := commandTree(t)
	if len(tree) < 20 {
		t.Fatalf("aura has %d commands", len(tree))
	}
	var everyFlag []string
	for _, c := range tree {
		everyFlag = append(everyFlag, c.flags...)
	}
	named := 0
	check := func(where, line string) {
		for _, part := range separator.Split(line, -1) {
			words := strings.Fields(part)
			for len(words) > 0 && strings.Contains(words[0], "=") {
				words = words[1:] // a variable before the command
			}
			switch {
			case len(words) > 0 && words[0] == "aura":
				named++
				for _, fault := range faultsOf(tree, words[1:]) {
					t.Errorf("%s: `%s`: %s", where, strings.TrimSpace(part), fault)
				}
			case len(words) > 0 && flagWord.MatchString(words[0]):
				name := flagWord.FindStringSubmatch(words[0])[1]
				if !slices.Contains(everyFlag, name) && !slices.Contains(ofOthers, name) && name != "version" {
					t.Errorf("%s: no command has the flag --%s", where, name)
				}
			}
		}
	}
	for _, page := range pages(t) {
		for _, b := range read(t, page) {
			if b.lang != "console" {
				continue
			}
			list, err := b.commands()
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range list {
				if strings.Contains(strings.Join(c.want, "\n"), "unknown ") {
					continue // the page shows aura's error for it
				}
				check(b.where(), withoutQuotes(strings.ReplaceAll(c.text, "\\\n", " ")))
			}
		}
		prose := true
		for line := range strings.SplitSeq(text(t, page), "\n") {
			if strings.HasPrefix(line, "```") {
				prose = !prose
			}
			if prose {
				for _, m := range codeSpan.FindAllStringSubmatch(line, -1) {
					check(page, withoutQuotes(m[1]))
				}
			}
		}
	}
	if named < 100 {
		t.Errorf("only %d commands were found in the pages", named)
	}
}

var quoted = regexp.MustCompile(`"[^"]*"|'[^']*'`)

// withoutQuotes replaces quoted text with a word, because quoted text is never a command or a flag.
func withoutQuotes(line string) string { return quoted.ReplaceAllString(line, "X") }

// faultsOf follows the words of a command line through the tree.
func faultsOf(tree map[string]commandHelp, words []string) []string {
	var faults []string
	path, names := "", true
	var flags []string
	for _, word := range words {
		if strings.HasPrefix(word, "#") || word == "--" {
			break
		}
		if m := flagWord.FindStringSubmatch(word); m != nil {
			flags = append(flags, m[1])
			continue
		}
		if !names || !plainWord.MatchString(word) {
			names = names && len(flags) > 0 && path == "" // the value of a flag before the command
			continue
		}
		c := tree[path]
		switch {
		case slices.Contains(c.below, word):
			path = strings.TrimSpace(path + " " + word)
		case len(flags) > 0:
			// The value of a flag.
		case len(c.below) > 0 && !c.args:
			faults = append(faults, "there is no command "+word)
			names = false
		default:
			names = false
		}
	}
	for _, name := range flags {
		if !slices.Contains(tree[path].flags, name) && name != "version" {
			faults = append(faults, "this command has no flag --"+name)
		}
	}
	return faults
}
