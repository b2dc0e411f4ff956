package terminal

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/base/plaintext"
)

const (
	// callLines and callBytes limit how much of a tool call is shown to a user who must decide about it.
	callLines = 400
	callBytes = 64 << 10
)

// Call formats a tool call for a user who must decide about it. It shows the tool's name and its arguments as they were written.
// A single text, such as a command, is shown beside or below the name. Several arguments are listed below the name, each with its
// own name. Nothing is removed: control characters and invisible characters are shown by their names.
func Call(tool string, args map[string]any) (string, error) {
	name := plaintext.Reveal(plaintext.OneLine(tool))
	if len(args) == 0 {
		return name, nil
	}
	if command, ok := args["command"].(string); ok && len(args) == 1 {
		return name + " " + indented(bounded(command)), nil
	}
	var b strings.Builder
	b.WriteString(name)
	for _, key := range slices.Sorted(maps.Keys(args)) {
		text, ok := args[key].(string)
		if !ok {
			raw, err := event.JSON(args[key])
			if err != nil {
				return "", fmt.Errorf("argument %q: %w", key, err)
			}
			text = string(raw)
		}
		fmt.Fprintf(&b, "\n  %s: %s", plaintext.Reveal(plaintext.OneLine(key)), strings.ReplaceAll(indented(bounded(text)), "\n", "\n  "))
	}
	return b.String(), nil
}

// indented places a text of several lines below the preceding text.
func indented(text string) string {
	text = plaintext.Reveal(text)
	if !strings.Contains(text, "\n") {
		return text
	}
	return "\n  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

// bounded returns the beginning of a long text. It states in words that there is more, because a user cannot agree to text that
// is not shown.
func bounded(text string) string {
	lines := strings.SplitAfter(text, "\n")
	kept := strings.Join(lines[:min(len(lines), callLines)], "")
	kept = strings.ToValidUTF8(kept[:min(len(kept), callBytes)], "")
	if len(kept) == len(text) {
		return text
	}
	return fmt.Sprintf("%s\n[%d more bytes are not shown: answer no unless you know them]", strings.TrimRight(kept, "\n"), len(text)-len(kept))
}
