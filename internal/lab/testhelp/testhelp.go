// Package testhelp reads the help texts of aura for tests.
package testhelp

import (
	"regexp"
	"slices"
	"strings"
)

var command = regexp.MustCompile(`(?m)^  ([a-z][a-z-]*) +\S`)

// noGroups lists the headings in a help text that do not begin a group of commands.
var noGroups = []string{"Usage:", "Aliases:", "Examples:", "Flags:", "Global Flags:"}

// Commands returns the names of the commands that a help text lists, in any group.
func Commands(text string) []string {
	var names []string
	for part := range strings.SplitSeq(text, "\n\n") {
		heading, list, _ := strings.Cut(part, "\n")
		if !strings.HasSuffix(heading, ":") || slices.Contains(noGroups, heading) {
			continue
		}
		for _, m := range command.FindAllStringSubmatch(list, -1) {
			names = append(names, m[1])
		}
	}
	return names
}
