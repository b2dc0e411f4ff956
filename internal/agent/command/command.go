// Package command holds the slash commands that a user can type: built-in commands, commands written in Markdown, commands of
// plugins, and skills.
package command

import (
	"context"
	"strings"
	"unicode"
)

// Source says where a command comes from. If two commands have the same name, the one with the lower source wins.
type Source int

// The sources of a command, highest priority first.
const (
	SourceBuiltin Source = iota
	SourceMarkdown
	SourcePlugin
	// SourceSkill is a skill whose name no other command has.
	SourceSkill
	// SourceMCP is a prompt of an MCP server. Its name begins with that of the server and a colon.
	SourceMCP
)

func (s Source) String() string {
	switch s {
	case SourceBuiltin:
		return "built-in"
	case SourceMarkdown:
		return "custom"
	case SourcePlugin:
		return "plugin"
	case SourceSkill:
		return "skill"
	case SourceMCP:
		return "MCP server"
	default:
		return "unknown"
	}
}

// Command is a command that a user types after a slash.
type Command struct {
	// Name does not include the slash.
	Name        string
	Description string
	// Hints are the labels of the arguments in completion.
	Hints  []string
	Source Source
	// Details is what only the description of this one command shows. It may be empty.
	Details string
	// Origin names the plugin or the file that defines the command. It is empty for built-in commands.
	Origin string
	// Run receives the text after the name as the user typed it.
	Run func(ctx context.Context, args string) (Result, error)
}

// File is a media file that a prompt names, or the output of a command of the user: Text, with About for how the command ended.
type File struct {
	Name        string
	Data        []byte
	Text, About string
}

// Result is the result of a command and says what the session does with it.
type Result struct {
	Output string
	// Forward sends the output to the model as a user message.
	Forward bool
	// Files are sent with a forwarded output.
	Files []File
	// Lines holds the shell lines whose output takes the place of !`LINE` in a forwarded output. Model answers it, instead of the current one.
	Lines []string
	Model string
	// Silent keeps the output off the screen.
	Silent bool
	// Exit ends the session.
	Exit bool
}

// Parse splits a line into the name of a command and the text after the name. A line that does not begin with a slash and a
// name is not a command. Neither is a line that begins with a path, such as "/etc/hosts is empty".
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
