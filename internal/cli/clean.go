package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/plaintext"
)

// clean makes text from outside safe to show.
func clean(text string) string { return plaintext.Show(text) }

// oneLine is clean text on one line, cut after limit runes with a count of what is left out.
func oneLine(text string, limit int) string {
	return shortened(plaintext.Line(text), limit)
}

// compact is oneLine with the blanks and tabs of each line as they are: it is for what tools print, and what they are given.
func compact(text string, limit int) string {
	var lines []string
	for line := range strings.Lines(clean(text)) {
		if line = strings.TrimRight(line, " \t\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return shortened(strings.Join(lines, " "), limit)
}

func shortened(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return fmt.Sprintf("%s… (%d more)", string(runes[:limit]), len(runes)-limit)
}

// candidates are completions that can be shown. A shell prints them as they come and takes each line for one, so a name that
// is more than plain text is left out: whoever wants it has to type it.
func candidates(found []cobra.Completion) []cobra.Completion {
	var out []cobra.Completion
	for _, one := range found {
		name, about, _ := strings.Cut(one, "\t")
		if plaintext.IsPlain(name) {
			out = append(out, cobra.CompletionWithDesc(name, plaintext.Line(about)))
		}
	}
	return out
}
