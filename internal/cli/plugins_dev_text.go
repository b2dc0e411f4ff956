package cli

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/author/plugindev"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// devRenderer shows a session as textRenderer does, and on standard output, with a label before each line, what concerns the
// plugin that is developed.
type devRenderer struct {
	*textRenderer
	plugin, dir string
	// debug shows every event on standard error too.
	debug bool
	// saved is when the last save ended that was not reloaded yet; zero if there is none. It is guarded by mu.
	saved time.Time
}

// savedAt notes when a save ended.
func (r *devRenderer) savedAt(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.saved = at
}

// Event shows an event.
func (r *devRenderer) Event(e event.Event) {
	r.mu.Lock()
	if r.debug {
		r.trace(e)
	}
	label, text := r.labelled(e)
	if text != "" {
		r.endText()
		r.endThought()
		r.write(fmt.Sprintf("%-6s %s\n", label, text))
	}
	if label != "" {
		// An event that is shown in another way, or not at all, still ends what aura waited for.
		r.spinner.after(e, r.tail())
	}
	r.mu.Unlock()
	if label == "" {
		r.textRenderer.Event(e)
	}
}

// maxDevLine is the length of the longest text of a line, in runes.
const maxDevLine = 500

// labelled returns the label and the text of a line. Without a label, the event is shown as in every session. A label without a
// text is that of an event that is not shown.
func (r *devRenderer) labelled(e event.Event) (label, text string) {
	line := func(text string) string { return oneLine(text, maxDevLine) }
	switch e := e.(type) {
	case plugindev.Saved:
		return "saved", cmp.Or(line(strings.Join(e.Files, ", ")), "files")
	case plugindev.Finding:
		text := fmt.Sprintf("%s: %s: %s [%s]", placeIn(r.dir, e.Finding), e.Severity, e.Message, e.Rule)
		if e.Fix != "" {
			text += "; fix: " + e.Fix
		}
		return "check", line(text)
	case plugindev.Replayed:
		return "replay", replayedText(e)
	case plugindev.ReplayEnd:
		return "replay", fmt.Sprintf("%s: %d with the same result, %d with another, %d not repeated", plaintext.Counted(e.Calls, "call"), e.Calls-e.Differ-e.Unrepeated, e.Differ, e.Unrepeated)
	case event.Command:
		if e.Name != "reload" {
			return "", ""
		}
		return "reload", line(e.Output) + r.since()
	case event.PluginCall:
		if e.Plugin != r.plugin {
			return "call", ""
		}
		return "call", line(callText(e))
	case event.PluginLog:
		if e.Plugin != r.plugin {
			return "log", ""
		}
		return "log", line(e.Level + ": " + e.Text)
	case event.PluginState:
		// Each call makes a plugin busy and then ready again.
		if busy := string(host.StateBusy); e.Plugin != r.plugin || e.State == busy || e.Previous == busy && e.State == string(host.StateReady) {
			return "state", ""
		}
		return "state", line(stateText(e))
	case event.Health:
		return "health", line(healthText(e))
	default:
		return "", ""
	}
}

// since returns how long ago the save ended that a reload loaded.
func (r *devRenderer) since() string {
	if r.saved.IsZero() {
		return ""
	}
	took := time.Since(r.saved)
	r.saved = time.Time{}
	return fmt.Sprintf(", %s after the save", took.Round(time.Millisecond))
}

func callText(e event.PluginCall) string {
	text := e.Point + ": " + string(e.Outcome)
	if len(e.Fields) > 0 {
		text += " " + strings.Join(e.Fields, ", ")
	}
	if e.Error != "" {
		text += ": " + e.Error
	}
	return fmt.Sprintf("%s (%s)", text, e.Duration.Round(10*time.Microsecond))
}

func stateText(e event.PluginState) string {
	text := e.State
	if e.Pid != 0 {
		text += fmt.Sprintf(", pid %d", e.Pid)
	}
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

func healthText(e event.Health) string {
	text := fmt.Sprintf("%s: %s, %s, %s, %s, p50 %s, p99 %s", e.State, plaintext.Counted(int(e.Calls), "call"), plaintext.Counted(int(e.Errors), "error"),
		plaintext.Counted(int(e.Timeouts), "timeout"), plaintext.Counted(e.Restarts, "restart"), micros(e.P50Micros), micros(e.P99Micros))
	if e.LastExit != "" {
		text += "; last exit: " + e.LastExit
	}
	return text
}

// replayedText returns one line, and one more for each difference.
func replayedText(e plugindev.Replayed) string {
	what := oneLine(fmt.Sprintf("call %d, turn %d: %s", e.Call, e.Turn, strings.TrimSpace(e.Point+" "+e.Name)), maxDevLine)
	switch {
	case e.Unrepeatable != "":
		return what + ": not repeated: " + oneLine(e.Unrepeatable, maxDevLine)
	case len(e.Differences) == 0:
		return what + ": same"
	}
	var b strings.Builder
	b.WriteString(what + " differs")
	for _, d := range e.Differences {
		fmt.Fprintf(&b, "\n         %s: %s → %s", oneLine(d.Field, maxDevLine), shownValue(d.Before), shownValue(d.After))
	}
	return b.String()
}
