package acp

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// call is a call of a tool that the client shows.
type call struct {
	// id is unique in the session, unlike the ids of some models.
	id, name string
	args     []byte
	kind     string
	// refused is set if the user was asked and did not allow the call.
	refused bool
	// output is the last part of the output so far. waiting is set while an update with it is scheduled.
	output  string
	cleaner plaintext.Cleaner
	waiting bool
}

// kinds holds the kinds of the built-in tools.
var kinds = map[string]string{
	"Read": "read", "Skill": "read", "Write": "edit", "Edit": "edit", "Patch": "edit", "Mkdir": "edit", "Bash": "execute", "BashOutput": "read", "BashKill": "execute",
	"Glob": "search", "Ls": "search", "Rg": "search", "TodoCreate": "think", "TodoList": "think", "TodoProgress": "think", "Task": "think",
	"WebFetch": "fetch", "WebSearch": "search",
}

func kindOf(tool string) string {
	if kind, ok := kinds[tool]; ok {
		return kind
	}
	return "other"
}

// newCall returns a call that the client does not know yet.
func (f *front) newCall(name string, args []byte) *call {
	f.number++
	if !json.Valid(args) {
		args, _ = json.Marshal(string(args)) //nolint:errchkjson // a string can always be encoded
	}
	return &call{id: fmt.Sprintf("call%d", f.number), name: name, args: args, kind: kindOf(name), cleaner: plaintext.Cleaner{Visible: true}}
}

// called shows that a tool is about to run, or was refused. The client knows a call that the user was asked about.
func (f *front) called(e event.ToolCall) {
	i := slices.IndexFunc(f.asked, func(c *call) bool { return c.name == e.Name && sameJSON(c.args, e.Arguments) })
	if i < 0 {
		// The question shows secrets, which are not in the event.
		i = slices.IndexFunc(f.asked, func(c *call) bool { return c.name == e.Name })
	}
	if i >= 0 {
		c := f.asked[i]
		f.asked = slices.Delete(f.asked, i, i+1)
		f.calls[e.ID] = c
		f.show(toolCall{Update: callUpdate, ToolCallID: c.id, Status: statusRunning})
		return
	}
	c := f.newCall(e.Name, e.Arguments)
	f.calls[e.ID] = c
	f.show(f.described(c, callBegins, statusRunning))
}

// described returns a call as the client shows it before it runs.
func (f *front) described(c *call, update, status string) toolCall {
	return toolCall{
		Update: update, ToolCallID: c.id, Title: titleOf(c.name, c.args), Name: c.name, Kind: c.kind, Status: status,
		Locations: f.locations(c.args), RawInput: c.args,
	}
}

// progress shows output of a tool that runs.
func (f *front) progress(e event.Progress) {
	c := f.calls[e.ID]
	if e.ID == "" {
		for _, one := range f.calls {
			if one.name == e.Tool {
				c = one
			}
		}
	}
	if c == nil {
		f.labelled("progress", "", e.Text)
		return
	}
	if e.Ended {
		return
	}
	text := e.Text
	if e.ID == "" || e.Status || e.Step {
		text += "\n"
	}
	c.output += c.cleaner.Next(text)
	if cut := len(c.output) - limit.ACPOutput; cut > 0 {
		c.output = strings.ToValidUTF8(c.output[cut:], "")
	}
	if !c.waiting {
		c.waiting = true
		time.AfterFunc(liveInterval, func() { f.flush(c) })
	}
}

// flush shows the output of a tool that still runs.
func (f *front) flush(c *call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c.waiting = false
	for _, one := range f.calls {
		if one == c {
			f.show(toolCall{Update: callUpdate, ToolCallID: c.id, Status: statusRunning, Content: textContent(fenced(c.output))})
			return
		}
	}
}

// result shows how a call ended.
func (f *front) result(e event.ToolResult) {
	c := f.calls[e.ID]
	if c == nil {
		return
	}
	delete(f.calls, e.ID)
	out := toolCall{Update: callUpdate, ToolCallID: c.id, Status: statusCompleted, RawOutput: map[string]any{"output": e.Content}}
	if e.Error != "" || !e.Ran {
		out.Status = statusFailed
	}
	out.Content, out.Locations = f.diffs(e.Diff)
	if text := strings.TrimSpace(plaintext.Show(e.Content)); text != "" {
		if c.kind != "other" && c.name != "Task" {
			text = fenced(text)
		}
		out.Content = append(out.Content, textContent(text)...)
	}
	f.show(out)
	if f.todos != nil && strings.HasPrefix(e.Name, "Todo") {
		f.planned(f.todos())
	}
}

// endCall ends a call that the user was asked about, and whose end no event reports.
func (f *front) endCall(c *call) {
	status := statusCompleted
	if c.refused {
		status = statusFailed
	}
	f.show(toolCall{Update: callUpdate, ToolCallID: c.id, Status: status})
}

// endOpenCalls ends the calls whose end no event reports: those of other agents that the user was asked about.
func (f *front) endOpenCalls() {
	for _, c := range f.asked {
		f.endCall(c)
	}
	f.asked = nil
	for id, c := range f.calls {
		f.show(toolCall{Update: callUpdate, ToolCallID: c.id, Status: statusFailed})
		delete(f.calls, id)
	}
}

// subjects holds the arguments that say best what a call is about, the best first.
var subjects = []string{"command", "path", "pattern", "url", "query", "description", "name", "patch"}

// titleLength is the maximum length of a title, in runes.
const titleLength = 120

// titleOf describes a call in a line.
func titleOf(name string, args []byte) string {
	var values map[string]any
	_ = json.Unmarshal(args, &values) // arguments that are no object have no subject
	subject := ""
	if i := slices.IndexFunc(subjects, func(key string) bool { text, _ := values[key].(string); return text != "" }); i >= 0 {
		subject, _ = values[subjects[i]].(string)
	}
	runes := []rune(plaintext.Reveal(strings.Join(strings.Fields(name+" "+subject), " ")))
	if len(runes) > titleLength {
		return string(runes[:titleLength]) + "…"
	}
	return string(runes)
}

// locations returns the file that the arguments of a call name.
func (f *front) locations(args []byte) []location {
	var values struct {
		Path  string  `json:"path"`
		Start float64 `json:"line_start"`
	}
	if json.Unmarshal(args, &values) != nil || values.Path == "" {
		return nil
	}
	return []location{{Path: f.absolute(values.Path), Line: max(0, int(values.Start))}}
}

func (f *front) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(f.workdir, path)
}

func textContent(text string) []callContent {
	return []callContent{{Type: "content", Content: textBlock(text)}}
}

// fenced returns a text as a block of Markdown that shows it as it is.
func fenced(text string) string {
	text = strings.TrimRight(text, "\n")
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + text + "\n" + fence
}

// sameJSON reports whether two documents have the same value.
func sameJSON(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return string(a) == string(b)
	}
	first, err1 := json.Marshal(x)
	second, err2 := json.Marshal(y)
	return err1 == nil && err2 == nil && string(first) == string(second)
}
