package hooks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"

	"github.com/idelchi/aura/internal/agent/foreign"
	"github.com/idelchi/aura/internal/system/shell"
)

// claudeInput returns what a hook reads in the protocol of Claude Code.
func (r Runner) claudeInput(event, transcript string, c Call) map[string]any {
	at := momentOf(event)
	out := map[string]any{
		"session_id": c.Session, "transcript_path": transcript, "cwd": r.Dir, "permission_mode": "default", "hook_event_name": at.name,
	}
	if !at.tool {
		maps.Copy(out, claudeFields(event, c.Fields))
		return out
	}
	out["tool_name"] = foreign.ClaudeName(c.Tool)
	out["tool_input"] = foreign.ClaudeInput(c.Tool, r.Dir, c.Input, c.Paths)
	switch event {
	case EventPost:
		response := map[string]any{"success": c.Failure == "", "content": c.Output, "stdout": c.Output, "stderr": c.Failure, "interrupted": false}
		if len(c.Paths) > 0 {
			response["filePath"] = c.Paths[0]
		}
		out["tool_response"] = response
	case EventPostFailure:
		out["error"], out["is_interrupt"] = c.Failure, false
	}
	return out
}

// claudeNames maps the fields of a moment to those of Claude Code. A field that is not listed has no counterpart.
var claudeNames = map[string]string{
	keyPrompt: keyPrompt, "response": "last_assistant_message", "agent": "agent_type", "trigger": "trigger", "source": "source",
	"model": "model", "message": "message", "kind": "notification_type", "summary": "compact_summary", "reason": "reason",
}

// claudeFields returns the fields of a moment in the protocol of Claude Code.
func claudeFields(event string, fields map[string]any) map[string]any {
	out := map[string]any{}
	for ours, theirs := range claudeNames {
		if value, ok := fields[ours]; ok {
			out[theirs] = value
		}
	}
	switch event {
	case EventStop, EventSubagentStop:
		continued, _ := fields["continued"].(int)
		out["stop_hook_active"] = continued > 0
	case EventPreCompact:
		out["custom_instructions"] = ""
	case EventSessionEnd:
		// The reasons of Claude Code are ways to leave its screen.
		out["reason"] = "other"
	case EventNotification:
		if out["notification_type"] == "approval" {
			out["notification_type"] = "permission_prompt"
		}
	}
	return out
}

// claudeAnswer is the JSON that a hook writes in the protocol of Claude Code.
type claudeAnswer struct {
	// Async announces that the hook goes on in the background. aura waits for it; what it writes next is its answer.
	Async         bool           `json:"async"`
	Continue      *bool          `json:"continue"`
	StopReason    string         `json:"stopReason"`
	SystemMessage string         `json:"systemMessage"`
	Decision      string         `json:"decision"`
	Reason        string         `json:"reason"`
	Specific      claudeSpecific `json:"hookSpecificOutput"`
	// AdditionalContext is read outside of hookSpecificOutput too, where older scripts write it.
	AdditionalContext string `json:"additionalContext"`
}

// claudeSpecific is the part of an answer that belongs to one event.
type claudeSpecific struct {
	PermissionDecision       string         `json:"permissionDecision"`
	PermissionDecisionReason string         `json:"permissionDecisionReason"`
	UpdatedInput             map[string]any `json:"updatedInput"`
	AdditionalContext        string         `json:"additionalContext"`
	// Decision answers a permission request.
	Decision struct {
		Behavior     string         `json:"behavior"`
		Message      string         `json:"message"`
		UpdatedInput map[string]any `json:"updatedInput"`
	} `json:"decision"`
}

// claudeBlock is the decision that blocks a call or a prompt, or lets the agent go on.
const claudeBlock = "block"

// applyClaude interprets the answer of a hook that succeeded, in the protocol of Claude Code.
func (r *Report) applyClaude(e Entry, at moment, result shell.Result) {
	text := trimmed(result.Stdout)
	if len(text) == 0 || text[0] != '{' {
		// Plain text is context for the model at the moments at which Claude Code reads it.
		if at.event == EventSessionStart || at.event == EventPrompt {
			r.tell(e, at, r.Stdout)
		}
		return
	}
	a, err := readClaude(text)
	if err != nil {
		r.Err = &AnswerError{Key: "hookSpecificOutput", Want: "an answer of the protocol claude (" + err.Error() + ")"}
		r.fail(e, at, "failed: "+r.Err.Error(), r.Stdout)
		return
	}
	r.Notice = readable(a.SystemMessage, 0)
	r.decideClaude(e, at, a)
	context := join(readable(a.Specific.AdditionalContext, 0), readable(a.AdditionalContext, 0))
	if context != "" && !r.Blocked && !r.Continue && at.model {
		r.Message = join(r.Message, headed(e, "", context))
	}
	if a.Continue != nil && !*a.Continue {
		r.halt(e, at, readable(a.StopReason, 0))
	}
}

// readClaude reads the answer of a hook, which may follow the announcement that it goes on in the background.
func readClaude(text []byte) (claudeAnswer, error) {
	in := json.NewDecoder(bytes.NewReader(text))
	var a claudeAnswer
	err := in.Decode(&a)
	if err == nil && a.Async && in.More() {
		a = claudeAnswer{}
		err = in.Decode(&a)
	}
	if err == nil && in.More() {
		err = errors.New("more than one answer")
	}
	return a, err
}

// decideClaude applies the decisions of an answer.
func (r *Report) decideClaude(e Entry, at moment, a claudeAnswer) {
	s, reason := a.Specific, readable(a.Reason, 0)
	permission := cmp.Or(s.PermissionDecision, s.Decision.Behavior)
	switch {
	case at.blocks && (permission == decisionDeny || a.Decision == claudeBlock):
		r.block(e, cmp.Or(readable(s.PermissionDecisionReason, 0), readable(s.Decision.Message, 0), reason, r.Notice))
		return
	case at.continues && a.Decision == claudeBlock:
		r.goOn(e, reason)
	case at.inline() && a.Decision == claudeBlock:
		r.tell(e, at, reason)
	case at.event == EventApproval && permission == decisionAllow:
		r.Allow, r.Reason = true, reason
	case at.event == EventPre && permission == "ask":
		r.Ask = true
	}
	r.Input = s.UpdatedInput
	if r.Input == nil {
		r.Input = s.Decision.UpdatedInput
	}
}

// halt stops the agent. Where something can still be prevented, it is prevented too.
func (r *Report) halt(e Entry, at moment, reason string) {
	r.Halt = cmp.Or(reason, "it gave no reason")
	r.Continue = false
	if at.blocks && !r.Blocked {
		r.block(e, r.Halt)
	}
}
