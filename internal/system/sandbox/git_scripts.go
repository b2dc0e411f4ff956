package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/system/gitconfig"
)

// scriptWord is a word of a setting that can run something.
type scriptWord struct {
	text string
	// program is set if the word is the program that runs, or is written as a path. Such a file is protected even if it is missing.
	program bool
}

// scriptWords returns the words of all settings that can run something: filters, drivers, aliases, helpers and whatever else Git may
// have. Git does not run with a file that it cannot parse, so such a file has none.
func scriptWords(text string) []scriptWord {
	all, _ := gitconfig.Parse([]byte(text))
	var out []scriptWord
	for _, s := range all {
		if s.Harmless() {
			continue
		}
		words := strings.FieldsFunc(s.Value, func(r rune) bool { return strings.ContainsRune(" \t\n'\"`;|&()<>=$!", r) })
		// An alias that does not begin with ! has arguments of Git.
		plain := s.Section == "alias" && !strings.HasPrefix(s.Value, "!")
		for i, word := range words {
			explicit := strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") || strings.HasPrefix(word, "~/") || filepath.IsAbs(word)
			slash := strings.Contains(word, "/")
			if slash || i > 0 && !plain {
				out = append(out, scriptWord{text: word, program: explicit || slash && i == 0})
			}
		}
	}
	return out
}

// scripts protects the regular files that words lead to from the root of a working tree. Git runs programs there. Files of the system
// cannot be written anyway. Missing files count only in the working directory.
func (s *gitSearch) scripts(workdir, root string, words []scriptWord) {
	for _, word := range words {
		path := expand(word.text, root, s.home)
		info, err := os.Stat(path)
		wanted := err == nil && info.Mode().IsRegular() && covering(system, path) == "" ||
			err != nil && word.program && within(workdir, path) && !strings.ContainsAny(word.text, ":*?@")
		switch {
		case !wanted || slices.Contains(s.named, path):
		case len(s.named) == maxScripts && s.crowded:
			return
		case len(s.named) == maxScripts:
			s.crowded = true
			s.lacks("the settings of Git name more than %d scripts: the others are not protected, such as %s", maxScripts, path)
			return
		default:
			s.named = append(s.named, path)
		}
	}
}
