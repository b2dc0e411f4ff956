package foreign

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
)

// TranscriptLine is where a message stands in a transcript of Claude Code.
type TranscriptLine struct {
	Session, Dir string
	// Number counts the messages of the transcript from 1.
	Number int
}

// entry is a line of a transcript.
type entry struct {
	Type      string    `json:"type"`
	UUID      string    `json:"uuid"`
	Parent    *string   `json:"parentUuid"`
	Sidechain bool      `json:"isSidechain"`
	Meta      bool      `json:"isMeta,omitempty"`
	UserType  string    `json:"userType"`
	Session   string    `json:"sessionId"`
	Dir       string    `json:"cwd"`
	Time      time.Time `json:"timestamp"`
	Message   spoken    `json:"message"`
}

// spoken is a message of Anthropic's protocol. Content is a text, or a list of blocks.
type spoken struct {
	Type    string `json:"type,omitempty"`
	Role    string `json:"role"`
	Content any    `json:"content"`
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type callBlock struct {
	Type  string         `json:"type"`
	ID    string         `json:"id"`
	Name  string         `json:"name"`
	Input map[string]any `json:"input"`
}

type resultBlock struct {
	Type    string `json:"type"`
	CallID  string `json:"tool_use_id"`
	Content string `json:"content"`
}

// Encode returns a message as a line of a transcript, with the newline. Thinking and files are left out.
func (l TranscriptLine) Encode(m llm.Message) ([]byte, error) {
	e := entry{
		Type: string(llm.RoleUser), UUID: l.uuid(l.Number), Meta: m.Synthetic, UserType: "external", Session: l.Session, Dir: l.Dir,
		Time: m.CreatedAt.UTC(), Message: spoken{Role: string(llm.RoleUser), Content: m.Content},
	}
	if l.Number > 1 {
		parent := l.uuid(l.Number - 1)
		e.Parent = &parent
	}
	if m.Role == llm.RoleAssistant {
		e.Type = string(llm.RoleAssistant)
		e.Message = spoken{Type: "message", Role: e.Type, Content: l.blocks(m)}
	}
	if m.Role == llm.RoleTool {
		e.Message.Content = []any{resultBlock{"tool_result", m.ToolCallID, m.Content}}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, fmt.Errorf("encoding a message of the transcript: %w", err)
	}
	return out.Bytes(), nil
}

// blocks returns the content of an answer.
func (l TranscriptLine) blocks(m llm.Message) []any {
	out := []any{}
	if m.Content != "" || len(m.ToolCalls) == 0 {
		out = append(out, textBlock{"text", m.Content})
	}
	for _, c := range m.ToolCalls {
		var args map[string]any
		if json.Unmarshal(c.Arguments, &args) != nil {
			args = map[string]any{"malformed": string(c.Arguments)}
		}
		out = append(out, callBlock{"tool_use", c.ID, ClaudeName(c.Name), ClaudeInput(c.Name, l.Dir, args, nil)})
	}
	return out
}

// uuid returns an identifier that is the same whenever the transcript is written.
func (l TranscriptLine) uuid(number int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d", cmp.Or(l.Session, "-"), number))
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
