package hooks

import (
	"slices"
	"strings"
)

// The events of a hook, as written in the configuration.
const (
	EventSessionStart  = "session_start"
	EventPrompt        = "prompt"
	EventApproval      = "approval"
	EventPre           = "pre"
	EventPost          = "post"
	EventPostFailure   = "post_failure"
	EventStop          = "stop"
	EventSubagentStart = "subagent_start"
	EventSubagentStop  = "subagent_stop"
	EventPreCompact    = "pre_compact"
	EventPostCompact   = "post_compact"
	EventNotification  = "notification"
	EventPluginState   = "plugin_state"
	EventSessionEnd    = "session_end"
)

// The protocols of a hook: what it reads and how it answers.
const (
	ProtocolAura   = "aura"
	ProtocolClaude = "claude"
)

// moment is everything that is specific to an event.
type moment struct {
	event string
	// name is the event on standard input. Claude Code has the same names, except for PluginState.
	name string
	// tool is set if the event is about a tool call: the matcher is compared with the tool's name, and files with those of the call.
	tool bool
	// subject describes what the matcher is compared with at other events. It is empty if there is nothing to compare.
	subject string
	// blocks is set if a hook can prevent what follows. continues is set if it can let the agent go on.
	blocks, continues bool
	// model is set if messages are for the model. Otherwise they are for the user.
	model bool
	// keys lists the answers that only this event has.
	keys []string
}

// moments lists the events in the order of lists.
var moments = []moment{
	{event: EventSessionStart, name: "SessionStart", subject: "startup or resume", model: true, keys: []string{keyContext}},
	{event: EventPrompt, name: "UserPromptSubmit", blocks: true, model: true, keys: []string{keyContext, keyPrompt}},
	{event: EventApproval, name: "PermissionRequest", tool: true, blocks: true, keys: []string{keyDecision}},
	{event: EventPre, name: "PreToolUse", tool: true, blocks: true, model: true},
	{event: EventPost, name: "PostToolUse", tool: true, model: true},
	{event: EventPostFailure, name: "PostToolUseFailure", tool: true, model: true},
	{event: EventStop, name: "Stop", continues: true, keys: []string{keyContinue}},
	{event: EventSubagentStart, name: "SubagentStart", subject: "the agent", blocks: true, model: true, keys: []string{keyContext, keyPrompt}},
	{event: EventSubagentStop, name: "SubagentStop", subject: "the agent", continues: true, keys: []string{keyContinue}},
	{event: EventPreCompact, name: "PreCompact", subject: "manual or auto", blocks: true},
	{event: EventPostCompact, name: "PostCompact", subject: "manual or auto"},
	{event: EventNotification, name: "Notification", subject: "the kind"},
	{event: EventPluginState, name: "PluginState", subject: "the plugin"},
	{event: EventSessionEnd, name: "SessionEnd", subject: "the reason"},
}

// momentOf returns the row of an event. An unknown event has no special behaviour.
func momentOf(event string) moment {
	if i := rank(event); i < len(moments) {
		return moments[i]
	}
	return moment{event: event}
}

// inline reports whether everything that a hook prints becomes part of the result of a tool call.
func (m moment) inline() bool { return m.tool && m.model }

// Events returns the names of all events.
func Events() []string {
	out := make([]string, len(moments))
	for i, m := range moments {
		out[i] = m.event
	}
	return out
}

// AboutTool reports whether an event is about a tool call.
func AboutTool(event string) bool { return momentOf(event).tool }

// rank orders events as in the table. Hooks without an event are last.
func rank(event string) int {
	if i := slices.IndexFunc(moments, func(m moment) bool { return m.event == event }); i >= 0 {
		return i
	}
	return len(moments)
}

// Protocols returns the names of all protocols.
func Protocols() []string { return []string{ProtocolAura, ProtocolClaude} }

// known lists names for an error.
func known(names []string) string { return strings.Join(names, ", ") }
