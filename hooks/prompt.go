package hooks

import (
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/agent/prompt"
)

// Prompt returns the description of the active hooks for prompts: each hook, and a summary with one line per hook.
func (r Runner) Prompt() prompt.Hooks {
	var out prompt.Hooks
	var lines []string
	for _, e := range r.Active() {
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

// summary returns a line about a hook. For a hook without a description, it contains only the name and the event.
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
