package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// call shows that a tool is about to run. On a terminal, the arguments are shown as they were written, and otherwise as JSON.
func (r *textRenderer) call(e event.ToolCall) {
	name := oneLine(e.Name, resultLimit)
	if r.look.Styled {
		var args map[string]any
		if json.Unmarshal(e.Arguments, &args) == nil {
			r.tell(terminal.Strong, "> %s", strings.TrimRight(name+" "+compact(event.Subject(args), resultLimit), " "))
			return
		}
	}
	r.tell(terminal.Strong, "> %s %s", name, compact(string(e.Arguments), resultLimit))
}

// result shows how a call ended. Output that was shown while the tool ran is not shown again.
func (r *textRenderer) result(e event.ToolResult) {
	name := oneLine(e.Name, resultLimit)
	streamed := r.endOutput(e.ID)
	if e.Error == "" {
		text := e.Content
		if streamed {
			text = e.Note
		}
		r.tell(terminal.Quiet, "%s", strings.TrimRight(fmt.Sprintf("< %s (%s) %s", name, took(e.Duration), compact(text, resultLimit)), " "))
	} else {
		r.tell(terminal.Failure, "< %s failed: %s", name, oneLine(e.Error, 3*resultLimit))
	}
	if e.Diff != "" && r.look.Styled {
		r.print(r.err, r.look.Diff(e.Diff))
	}
}

// progress shows the output of a running tool line by line, or a remark about its progress.
func (r *textRenderer) progress(e event.Progress) {
	if e.Ended {
		return
	}
	if e.ID == "" || e.Status || e.Step {
		r.tell(terminal.Quiet, "  %s: %s", oneLine(e.Tool, resultLimit), oneLine(e.Text, resultLimit))
		return
	}
	r.printed(r.streaming.Tools.Next(e.ID, e.Text))
}

// printed shows lines of a tool's output. It keeps their blanks and tabs.
func (r *textRenderer) printed(lines []string) {
	for _, line := range lines {
		r.tell(terminal.Plain, "%s", strings.TrimRight("| "+clean(line), " "))
	}
}

// endOutput shows the end of a call's output, and reports whether the call printed anything.
func (r *textRenderer) endOutput(id string) bool {
	lines, printed := r.streaming.Tools.End(id)
	r.printed(lines)
	return printed
}
