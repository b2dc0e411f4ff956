package session

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
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

// Export returns a session in a format. The function clean is applied to everything but the bytes of files, which are in JSON only.
func Export(s Session, f Format, clean func(text []byte) []byte) (string, error) {
	if err := f.Check(); err != nil {
		return "", fmt.Errorf("exporting session: %w", err)
	}
	if f == FormatMarkdown {
		return string(clean([]byte(Markdown(s)))), nil
	}
	exported, contents := Exported(s).withoutFiles()
	text, err := json.MarshalIndent(exported, "", "  ")
	if err != nil {
		return "", fmt.Errorf("exporting session: %w", err)
	}
	return string(restore(clean(text), contents)) + "\n", nil
}

// withoutFiles returns a copy in which a random text replaces the bytes of each file, and the bytes by these texts, in base64.
func (e ExportedSession) withoutFiles() (ExportedSession, map[string][]byte) {
	contents := map[string][]byte{}
	e.Messages = slices.Clone(e.Messages)
	for i := range e.Messages {
		m := &e.Messages[i]
		m.Parts = slices.Clone(m.Parts)
		for j := range m.Parts {
			stand := []byte(rand.Text())
			contents[base64.StdEncoding.EncodeToString(stand)] = m.Parts[j].Data
			m.Parts[j].Data = stand
		}
	}
	return e, contents
}

// restore puts the bytes of files back into a document.
func restore(document []byte, contents map[string][]byte) []byte {
	for stand, content := range contents {
		document = bytes.Replace(document, []byte(stand), []byte(base64.StdEncoding.EncodeToString(content)), 1)
	}
	return document
}

// ExportedSession is a session as it is exported to JSON.
type ExportedSession struct {
	Meta     Meta          `json:"meta"`
	Title    string        `json:"title,omitempty"`
	Messages []llm.Message `json:"messages"`
	End      *End          `json:"end"`
	Torn     bool          `json:"torn"`
	// Recording is the path of the recording of plugin calls.
	Recording string `json:"recording,omitempty"`
}

// Exported returns a session as it is exported to JSON.
func Exported(s Session) ExportedSession {
	return ExportedSession{Meta: s.Meta, Title: s.State.Title, Messages: append([]llm.Message{}, s.Messages...), End: s.End, Torn: s.Torn, Recording: s.Recording}
}

// Markdown returns a session as Markdown.
func Markdown(s Session) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Session %s\n\n%s, %s on %s\n", cmp.Or(s.State.Title, s.Meta.ID), s.Meta.StartedAt.Format("2006-01-02 15:04:05 MST"), s.Meta.Model, s.Meta.Provider)
	if s.Recording != "" {
		fmt.Fprintf(&b, "\nThe plugin calls are recorded in %s\n", s.Recording)
	}
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
		for _, p := range m.Parts {
			fmt.Fprintf(&b, "\n- attached %s (%s, %d bytes)\n", p.Name, p.Type, len(p.Data))
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
