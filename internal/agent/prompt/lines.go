package prompt

import (
	"regexp"
	"sync"
)

// shellLine matches a shell line in the body of a custom command.
var shellLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("!`([^`\n]+)`") })

// maxLines is how many shell lines a custom command may have.
const maxLines = 20

// Lines returns the shell lines in the body of a custom command, written as !`LINE`, with their placeholders replaced. Only the body has such
// lines: an argument adds none.
func Lines(body, args string) []string {
	var out []string
	for _, m := range shellLine().FindAllStringSubmatch(body, maxLines) {
		out = append(out, Expand(m[1], args))
	}
	return out
}
