// Package command holds the slash commands a user can type: aura's own, those written in Markdown and those of plugins.
package command

import (
	"context"
	"strings"
	"unicode"
)

// Source says where a command comes from. Of two commands of the same name the one with the lower source wins.
type Source int

// The sources of a command, in the order of their priority.
const (
	SourceBuiltin Source = iota
	SourceMarkdown
	SourcePlugin
)

func (s Source) String() string {
	switch s {
	case SourceBuiltin:
		return "built-in"
	case SourceMarkdown:
		return "custom"
	case SourcePlugin:
		return "plugin"
	default:
		return "unknown"
	}
}

// Command is something a user can type after a slash.
type Command struct {
	// Name is without the slash.
	Name        string
	Description string
	// Hints label the arguments in completion.
	Hints  []string
	Source Source
	// Origin names the plugin or the file behind the command; empty for built-in ones.
	Origin string
	// Run takes the text after the name as it was typed.
	Run func(ctx context.Context, args string) (Result, error)
}

// Result is what a command leaves to be done.
type Result struct {
	Output string
	// Forward sends the output to the model as a user message.
	Forward bool
	// Silent keeps the output off the screen.
	Silent bool
	// Exit ends the session.
	Exit bool
}

// Parse splits a line into the name of a command and the text after it. A line that does not begin with a slash and a name
// is not a command; neither is one that begins with a path, as "/etc/hosts is empty" does.
func Parse(line string) (name, args string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "/")
	if !ok {
		return "", "", false
	}
	name = rest
	if i := strings.IndexFunc(rest, unicode.IsSpace); i >= 0 {
		name, args = rest[:i], strings.TrimSpace(rest[i:])
	}
	if !validName(name) {
		return "", "", false
	}
	return name, args, true
}

// validName reports whether a name consists of letters, digits and - _ : . and begins with a letter or a digit.
func validName(name string) bool {
	for i, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			continue
		}
		if i == 0 || !strings.ContainsRune("-_:.", r) {
			return false
		}
	}
	return name != ""
}
