package terminal

import (
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// remarkLimit is how much of an injected message is shown, in runes.
const remarkLimit = 160

// Remark returns how an event that is not part of the model's answer is shown: a text of one or more lines, and its style. The text is
// empty for other events.
func Remark(e event.Event) (Style, string) {
	switch e := e.(type) {
	case event.Injection:
		return Accent, fmt.Sprintf("~ %s: %s", plaintext.Line(e.Plugin), cut(plaintext.Line(e.Content), remarkLimit))
	case event.Compaction:
		return Quiet, "= " + compaction(e)
	case event.AgentSwitch:
		return Quiet, "= " + agentSwitch(e)
	case event.Notice:
		return Warning, "! " + Hanging(named(e.Plugin, e.Text))
	case event.PluginError:
		if !e.Returned && !e.Reported { // a returned error is in the plugin's log, and --debug shows it
			return Warning, "! " + Hanging(named(e.Plugin, e.Error))
		}
	case event.Error:
		return Failure, "! " + Hanging(e.Message)
	}
	return Plain, ""
}

// Hanging cleans a text and indents its further lines, to separate them from the following output.
func Hanging(text string) string {
	return strings.ReplaceAll(strings.TrimRight(plaintext.Show(text), "\n"), "\n", "\n  ")
}

// named prefixes a text with the name of its plugin, unless the text already contains the name.
func named(plugin, text string) string {
	if plugin == "" || strings.Contains(text, fmt.Sprintf("plugin %q", plugin)) {
		return text
	}
	return plugin + ": " + text
}

// compaction describes a compaction.
func compaction(e event.Compaction) string {
	if !e.Success {
		return "the history was not compacted: " + plaintext.Show(e.Error)
	}
	return fmt.Sprintf("compacted (%s): %d messages became %d, about %d tokens became %d", e.Trigger, e.PreMessages, e.PostMessages, e.TokensBefore, e.TokensAfter)
}

// agentSwitch names the agent and the model that answer from now on.
func agentSwitch(e event.AgentSwitch) string {
	text := fmt.Sprintf("switched to %s", e.Model)
	if e.Agent != "" {
		text = fmt.Sprintf("switched to %s (%s)", e.Agent, e.Model)
	}
	if e.Mode != "" {
		text += ", mode " + e.Mode
	}
	return plaintext.Show(fmt.Sprintf("%s [%s]", text, e.Reason))
}
