package acp

import "encoding/json"

// notification is a session/update. Update is one of the structs of this file.
type notification struct {
	SessionID string `json:"sessionId"`
	Update    any    `json:"update"`
}

// The kinds of updates.
const (
	userChunk     = "user_message_chunk"
	agentChunk    = "agent_message_chunk"
	thoughtChunk  = "agent_thought_chunk"
	callBegins    = "tool_call"
	callUpdate    = "tool_call_update"
	planUpdate    = "plan"
	commandUpdate = "available_commands_update"
	modeUpdate    = "current_mode_update"
	configUpdate  = "config_option_update"
	infoUpdate    = "session_info_update"
	usageUpdate   = "usage_update"
	noticeUpdate  = "notice"
	compactUpdate = "compaction_update"
)

// chunk is a piece of a message.
type chunk struct {
	Update    string     `json:"sessionUpdate"`
	MessageID string     `json:"messageId,omitempty"`
	Content   *shownText `json:"content"`
	Meta      meta       `json:"_meta,omitempty"`
}

// toolCall is a call of a tool, or what changed about it. The content and the locations replace earlier ones.
type toolCall struct {
	Update     string          `json:"sessionUpdate,omitempty"`
	ToolCallID string          `json:"toolCallId"`
	Title      string          `json:"title,omitempty"`
	Name       string          `json:"name,omitempty"`
	Kind       string          `json:"kind,omitempty"`
	Status     string          `json:"status,omitempty"`
	Content    []callContent   `json:"content,omitempty"`
	Locations  []location      `json:"locations,omitempty"`
	RawInput   json.RawMessage `json:"rawInput,omitempty"`
	RawOutput  any             `json:"rawOutput,omitempty"`
	Meta       meta            `json:"_meta,omitempty"`
}

// The statuses of a call.
const (
	statusPending   = "pending"
	statusRunning   = "in_progress"
	statusCompleted = "completed"
	statusFailed    = "failed"
)

// callContent is a text or a diff.
type callContent struct {
	Type    string     `json:"type"`
	Content *shownText `json:"content,omitempty"`
	Path    string     `json:"path,omitempty"`
	// OldText is nil for a new file. Both texts are a part of the file.
	OldText *string `json:"oldText,omitempty"`
	NewText *string `json:"newText,omitempty"`
}

// location is a file that a call works on, by its absolute path.
type location struct {
	Path string `json:"path"`
	// Line is counted from 1; 0 if it is not known.
	Line int `json:"line,omitempty"`
}

type plan struct {
	Update  string      `json:"sessionUpdate"`
	Entries []planEntry `json:"entries"`
}

type planEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority"`
	Status   string `json:"status"`
}

type availableCommands struct {
	Update   string             `json:"sessionUpdate"`
	Commands []availableCommand `json:"availableCommands"`
}

type availableCommand struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Input       *commandInput `json:"input,omitempty"`
	Meta        meta          `json:"_meta,omitempty"`
}

type commandInput struct {
	Hint string `json:"hint"`
}

type currentMode struct {
	Update string `json:"sessionUpdate"`
	ModeID string `json:"currentModeId"`
}

type configOptions struct {
	Update  string         `json:"sessionUpdate"`
	Options []configOption `json:"configOptions"`
}

type sessionTitle struct {
	Update string `json:"sessionUpdate"`
	Title  string `json:"title"`
}

// usage is how full the context is, in tokens, and what the session has cost.
type usage struct {
	Update string `json:"sessionUpdate"`
	Used   int    `json:"used"`
	Size   int    `json:"size"`
	Cost   *cost  `json:"cost,omitempty"`
	Meta   meta   `json:"_meta,omitempty"`
}

type cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// userNotice is a text for the user. Only clients that can show notices get it.
type userNotice struct {
	Update      string `json:"sessionUpdate"`
	Severity    string `json:"severity"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Meta        meta   `json:"_meta,omitempty"`
}

// The severities of a notice.
const (
	severityInfo    = "info"
	severityWarning = "warning"
	severityError   = "error"
)

// compaction reports that a summary replaced older messages. Only clients that can show compactions get it.
type compaction struct {
	Update       string `json:"sessionUpdate"`
	CompactionID string `json:"compactionId"`
	Status       string `json:"status"`
	Error        string `json:"error,omitempty"`
}
