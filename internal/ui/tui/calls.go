package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/terminal"
)

const (
	// subjectLimit is how much of a call's arguments is shown, in runes.
	subjectLimit = 400
	// bullet marks a tool call, and chosenBullet the call that the user has chosen.
	bullet       = "● "
	chosenBullet = "▶ "
)

// toolCall is a tool call that has not ended.
type toolCall struct {
	event.ToolCall
	since time.Time
	// lines are the lines of the output that are printed when the call ends. last are the last ones of all.
	lines, last []string
	// status says how far the call is; empty if it does not say so.
	status string
	// steps is how many steps of its work the call has reported.
	steps int
	// ended is set while the call waits for those beside it.
	ended bool
}

// progress takes a part of the output of a running tool.
func (s *show) progress(e event.Progress) terminal.Styled {
	i := slices.IndexFunc(s.calls, func(c *toolCall) bool { return c.ID == e.ID })
	if i < 0 {
		return s.line(terminal.Quiet, fmt.Sprintf("  %s: %s", plaintext.Line(e.Tool), plaintext.Line(e.Text)))
	}
	c := s.calls[i]
	switch {
	case e.Status:
		c.status = plaintext.Line(e.Text)
		return ""
	case e.Ended:
		c.ended, c.status, c.last = true, "("+elapsed(e.Duration)+")", nil
		s.release(e.ID)
		return ""
	case e.Step:
		c.steps++
		c.last = append(c.last[max(0, len(c.last)-liveLines+1):], e.Text)
		return ""
	}
	c.lines = append(c.lines, s.streaming.Tools.Next(e.ID, e.Text)...)
	for line := range strings.Lines(e.Text) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
			c.last = append(c.last, line)
		}
	}
	c.last = slices.Clone(c.last[max(0, len(c.last)-liveLines):])
	return ""
}

// result returns a call that has ended, with its output and the changes that it made.
func (s *show) result(e event.ToolResult) terminal.Styled {
	c := &toolCall{ToolCall: event.ToolCall{ID: e.ID, Name: e.Name}}
	if i := slices.IndexFunc(s.calls, func(c *toolCall) bool { return c.ID == e.ID }); i >= 0 {
		c = s.calls[i]
		s.calls = slices.Delete(s.calls, i, i+1)
		s.release(e.ID)
	}
	if len(s.calls) == 0 {
		s.await(hooks)
	}
	style, head := terminal.Strong, c.title()
	switch {
	case e.Ran && c.steps > 0:
		head += fmt.Sprintf(" (%s, %s)", elapsed(e.Duration), plaintext.Counted(c.steps, "step"))
	case e.Ran:
		head += fmt.Sprintf(" (%s)", elapsed(e.Duration))
	}
	if e.Error != "" {
		style = terminal.Failure
	}
	out := s.endAnswer() + "\n" + s.look.Paint(style, bullet+head) + "\n"
	last, _ := s.streaming.Tools.End(e.ID)
	lines := append(c.lines, last...)
	text := e.Content
	switch {
	case e.Error != "":
		text = e.Error
	case len(lines) > 0:
		text = e.Note
	case e.Diff != "":
		text = e.Note
	}
	if len(lines) == 0 || text == e.Error || text == e.Note {
		var o terminal.Output
		lines = append(lines, append(o.Next(strings.TrimRight(text, "\n")), o.End()...)...)
	}
	for _, line := range lines {
		if strings.TrimSpace(line) != "" || len(lines) > 1 {
			out += s.look.Paint(terminal.Quiet, strings.TrimRight("  │ "+plaintext.Show(line), " ")) + "\n"
		}
	}
	if e.Diff != "" && e.Diff != s.shownChanges {
		out += s.look.Diff(e.Diff)
	}
	s.shownChanges = ""
	return out
}

// choose chooses the next running call, or none after the last one, and returns its title.
func (s *show) choose() string {
	before := slices.IndexFunc(s.calls, func(c *toolCall) bool { return c.ID == s.chosen })
	s.chosen = ""
	for _, c := range s.calls[before+1:] {
		if !c.ended {
			s.chosen = c.ID
			return c.title()
		}
	}
	return ""
}

// release ends the choice of a call that no longer runs.
func (s *show) release(id string) {
	if s.chosen == id {
		s.chosen = ""
	}
}

// title names a call and its arguments.
func (c *toolCall) title() string {
	name := plaintext.Line(c.Name)
	subject := plaintext.Line(c.Subject())
	if runes := []rune(subject); len(runes) > subjectLimit {
		subject = string(runes[:subjectLimit]) + "…"
	}
	return strings.TrimSpace(name + " " + subject)
}
