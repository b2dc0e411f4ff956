package prompt

import (
	"fmt"
	"strings"
	"time"
)

// Builtin returns the system prompt if none is configured. It states what the model cannot know: its environment and its tools.
// It is not a template, so that a start without configuration parses no template.
func Builtin(data Data, now time.Time, platform string) string {
	var b strings.Builder
	b.WriteString("You are aura, a coding agent in the user's terminal.\n\n")
	fmt.Fprintf(&b, "- Working directory: %s\n- Platform: %s\n- Date: %s\n", data.Workdir, platform, now.Format(time.DateOnly))
	if data.Sandbox.Enabled {
		b.WriteString("- A sandbox limits which files the tools can read and write. If it refuses something, say so; do not work around it.\n")
	}
	if len(data.Tools.Eager)+len(data.Tools.Deferred) > 0 {
		b.WriteString("\nUse the tools to find out instead of guessing. Read a file before you change it. Make the smallest change that does " +
			"what was asked, in the style of the code around it, and check the result if a tool can.\n")
	}
	b.WriteString("\nAnswer in a few sentences: what you found or did, and what you could not check. Plain text or simple Markdown is shown on a terminal.")
	return b.String()
}
