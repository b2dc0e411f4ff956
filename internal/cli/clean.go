package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/base/plaintext"
)

// clean makes text from outside safe to show.
func clean(text string) string { return plaintext.Show(text) }

// oneLine returns cleaned text on one line. It is cut after limit runes, and the number of omitted runes is appended.
func oneLine(text string, limit int) string {
	return shortened(plaintext.Line(text), limit)
}

// compact is like oneLine, but keeps the blanks and tabs within each line. It is used for the output and the arguments of tools.
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

// candidates returns the completions that can be shown. A shell prints them unchanged and treats each line as one, so a name that
// is not plain text is omitted. The user must type such a name.
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

// indent indents the further lines of a text, to separate them from the following output.
func indent(s string) string { return strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ") }
