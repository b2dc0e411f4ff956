package terminal

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/plaintext"
)

const (
	// callLines and callBytes are how much of a tool call is shown to somebody who decides about it.
	callLines = 400
	callBytes = 64 << 10
)

// Call is a tool call for somebody who decides about it: the tool's name, and its arguments as they were written. A single text
// stands beside or below the name, as a command does; several arguments stand below it by name. Nothing is removed: control characters
// and invisible ones are shown by their names.
func Call(tool string, args map[string]any) (string, error) {
	name := plaintext.Reveal(oneLine(tool))
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
		fmt.Fprintf(&b, "\n  %s: %s", plaintext.Reveal(oneLine(key)), strings.ReplaceAll(indented(bounded(text)), "\n", "\n  "))
	}
	return b.String(), nil
}

// subject are the arguments that say by themselves what a call is about.
var subject = []string{"command", "path", "pattern", "query", "url"}

// patched finds the lines of a patch that name files.
var patched = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\*\*\* (?:(?:Add|Update|Delete) File|Move to): *(.*?)\s*$`)
})

// Subject is what a call is about, for people who watch it: a command as it was typed, a path, the files of a patch, or all arguments as
// JSON. It is not cleaned.
func Subject(args map[string]any) string {
	if patch, ok := args["patch"].(string); ok {
		var files []string
		for _, found := range patched().FindAllStringSubmatch(patch, -1) {
			files = append(files, found[1])
		}
		return strings.Join(files, ", ")
	}
	for _, key := range subject {
		if text, ok := args[key].(string); ok {
			return text
		}
	}
	raw, err := event.JSON(args)
	if err != nil || len(args) == 0 {
		return ""
	}
	return string(raw)
}

// indented puts a text of several lines below what stands before it.
func indented(text string) string {
	text = plaintext.Reveal(text)
	if !strings.Contains(text, "\n") {
		return text
	}
	return "\n  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

// bounded is the beginning of a long text. It says in words that there is more: nobody can agree to what they do not see.
func bounded(text string) string {
	lines := strings.SplitAfter(text, "\n")
	kept := strings.Join(lines[:min(len(lines), callLines)], "")
	kept = strings.ToValidUTF8(kept[:min(len(kept), callBytes)], "")
	if len(kept) == len(text) {
		return text
	}
	return fmt.Sprintf("%s\n[%d more bytes are not shown: answer no unless you know them]", strings.TrimRight(kept, "\n"), len(text)-len(kept))
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
