package hooks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/prompt"
)

// Prompt is what prompts can say of the hooks in force: each of them, and a summary with a line for each.
func (r Runner) Prompt() prompt.Hooks {
	var out prompt.Hooks
	var lines []string
	for _, e := range slices.Concat(r.Pre, r.Post) {
		info := prompt.HookInfo{
			Name: e.Name, Description: e.Description, Event: e.Event, Files: e.Files, Command: e.Command,
		}
		if e.Matcher != nil {
			info.Matcher = e.Matcher.String()
		}
		out.Active = append(out.Active, info)
		lines = append(lines, summary(info))
	}
	out.Display = strings.Join(lines, "\n")
	return out
}

// summary is a line about a hook. One without a description is not worth more than its name and event.
func summary(h prompt.HookInfo) string {
	line := fmt.Sprintf("- %s (%s)", h.Name, h.Event)
	if h.Description == "" {
		return line
	}
	line = fmt.Sprintf("- %s (%s", h.Name, h.Event)
	if h.Matcher != "" {
		line += ", tools: " + h.Matcher
	}
	if h.Files != "" {
		line += ", files: " + h.Files
	}
	return line + "): " + strings.Join(strings.Fields(h.Description), " ")
}
