package foreign

import "slices"

// event is a moment of aura with its names in other agents. Codex has the names of Claude Code.
type event struct{ aura, claude, gemini string }

var events = []event{
	{"session_start", "SessionStart", "SessionStart"},
	{"prompt", "UserPromptSubmit", "BeforeAgent"},
	{"approval", "PermissionRequest", ""},
	{"pre", "PreToolUse", "BeforeTool"},
	{"post", "PostToolUse", "AfterTool"},
	{"post_failure", "PostToolUseFailure", ""},
	{"stop", "Stop", "AfterAgent"},
	{"subagent_start", "SubagentStart", ""},
	{"subagent_stop", "SubagentStop", ""},
	{"pre_compact", "PreCompact", "PreCompress"},
	{"post_compact", "PostCompact", ""},
	{"notification", "Notification", "Notification"},
	{"session_end", "SessionEnd", "SessionEnd"},
}

// EventIn returns aura's event for the name of an event of another agent. It reports whether there is one.
func EventIn(agent Agent, name string) (string, bool) {
	i := slices.IndexFunc(events, func(e event) bool {
		if agent == Gemini {
			return e.gemini == name && name != ""
		}
		return e.claude == name
	})
	if i < 0 {
		return "", false
	}
	return events[i].aura, true
}
