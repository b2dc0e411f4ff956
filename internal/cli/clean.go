package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/plaintext"
)

// clean makes text from outside safe to show.
func clean(text string) string { return plaintext.Show(text) }

// oneLine is clean text on one line, cut after limit runes with a count of what is left out.
func oneLine(text string, limit int) string {
	text = plaintext.Line(text)
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return fmt.Sprintf("%s… (%d more)", string(runes[:limit]), len(runes)-limit)
}

// guarded is the last fence before a terminal: whatever a command forgets to clean is cleaned here. Other writers stay as they
// are, since programs read them.
func guarded(w io.Writer) io.Writer {
	if !isTerminal(w) {
		return w
	}
	return plaintext.NewWriter(w)
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
