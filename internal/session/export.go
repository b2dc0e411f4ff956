package session

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/llm"
)

// Format is the format of an exported session.
type Format string

// The formats of an exported session.
const (
	FormatMarkdown Format = "markdown"
	FormatJSON     Format = "json"
)

// Check returns an error for an unknown format.
func (f Format) Check() error {
	if f != FormatMarkdown && f != FormatJSON {
		return fmt.Errorf("unknown format %q; known formats: %s, %s", f, FormatMarkdown, FormatJSON)
	}
	return nil
}

// Export returns a session in a format.
func Export(s Session, f Format) (string, error) {
	if err := f.Check(); err != nil {
		return "", fmt.Errorf("exporting session: %w", err)
	}
	if f == FormatMarkdown {
		return Markdown(s), nil
	}
	text, err := json.MarshalIndent(Exported(s), "", "  ")
	if err != nil {
		return "", fmt.Errorf("exporting session: %w", err)
	}
	return string(text) + "\n", nil
}

// ExportedSession is a session as it is exported to JSON.
type ExportedSession struct {
	Meta     Meta          `json:"meta"`
	Title    string        `json:"title,omitempty"`
	Messages []llm.Message `json:"messages"`
	End      *End          `json:"end"`
	Torn     bool          `json:"torn"`
}

// Exported returns a session as it is exported to JSON.
func Exported(s Session) ExportedSession {
	return ExportedSession{Meta: s.Meta, Title: s.State.Title, Messages: append([]llm.Message{}, s.Messages...), End: s.End, Torn: s.Torn}
}

// Markdown returns a session as Markdown.
func Markdown(s Session) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Session %s\n\n%s, %s on %s\n", cmp.Or(s.State.Title, s.Meta.ID), s.Meta.StartedAt.Format("2006-01-02 15:04:05 MST"), s.Meta.Model, s.Meta.Provider)
	for _, m := range s.Messages {
		name := string(m.Role)
		if m.ToolName != "" {
			name += " " + m.ToolName
		}
		if m.Synthetic {
			name += " (injected)"
		}
		fmt.Fprintf(&b, "\n## %s\n\n", name)
		if m.Content != "" {
			fmt.Fprintf(&b, "%s\n", strings.TrimRight(m.Content, "\n"))
		}
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, "\n- calls %s %s\n", c.Name, c.Arguments)
		}
	}
	switch {
	case s.End != nil:
		fmt.Fprintf(&b, "\n---\n\nEnded: %s\n", s.End.Reason)
	case s.Torn:
		fmt.Fprint(&b, "\n---\n\nThe last message was not written completely.\n")
	}
	return b.String()
}
