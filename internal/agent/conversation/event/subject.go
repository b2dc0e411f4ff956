package event

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Subject returns a short description of the call, as Subject does. Arguments that are not an object are returned as they are.
func (c ToolCall) Subject() string {
	var args map[string]any
	if json.Unmarshal(c.Arguments, &args) != nil {
		return string(c.Arguments)
	}
	return Subject(args)
}

// subject lists the arguments that describe a call on their own.
var subject = []string{"command", "path", "pattern", "query", "url"}

// patched matches the lines of a patch that name files.
var patched = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\*\*\* (?:(?:Add|Update|Delete) File|Move to): *(.*?)\s*$`)
})

// Subject returns a short description of a call for users who watch it: a command as it was typed, a path, the files of a patch,
// a single text, or all arguments with their names. The text is not cleaned.
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
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(args)) {
		text, ok := args[key].(string)
		switch {
		case ok && len(args) == 1:
			return text
		case !ok:
			raw, err := JSON(args[key])
			if err != nil {
				continue
			}
			text = string(raw)
		}
		parts = append(parts, key+": "+text)
	}
	return strings.Join(parts, ", ")
}
