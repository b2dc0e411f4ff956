package terminal

import (
	"strings"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// Streaming is what every front end on a terminal keeps of a turn in progress: the text that is shown as it arrives, and the output of
// running tools. The zero value is ready to use. A Streaming is used by one goroutine at a time.
type Streaming struct {
	Answer, Thinking Stream
	Tools            Outputs
}

// Stream is one text that is shown as it arrives. A control sequence or a character may be split between two pieces.
type Stream struct {
	clean       plaintext.Cleaner
	begun, open bool
}

// Next returns what is shown of the next piece. Set visible if people read it on a terminal; see plaintext.Cleaner.
func (s *Stream) Next(piece string, visible bool) string {
	s.clean.Visible = visible
	text := s.clean.Next(piece)
	if text != "" {
		s.begun, s.open = true, !strings.HasSuffix(text, "\n")
	}
	return text
}

// Begun reports whether a part of the text was returned since the last End.
func (s *Stream) Begun() bool { return s.begun }

// End ends the text. It returns what is still shown of it, whether a part was returned before, and whether that part ended within a
// line.
func (s *Stream) End() (rest string, begun, open bool) {
	rest, begun, open = s.clean.End(), s.begun, s.open
	s.begun, s.open = false, false
	return rest, begun, open
}

// Outputs holds the output of running tools by the ids of their calls.
type Outputs struct{ running map[string]*Output }

// Next returns the lines to show after the next piece of a call's output.
func (o *Outputs) Next(id, piece string) []string {
	if o.running == nil {
		o.running = map[string]*Output{}
	}
	if o.running[id] == nil {
		o.running[id] = &Output{}
	}
	return o.running[id].Next(piece)
}

// End forgets a call. It returns the lines to show at the end of its output, and whether the call printed anything.
func (o *Outputs) End(id string) (lines []string, printed bool) {
	output := o.running[id]
	if output == nil {
		return nil, false
	}
	delete(o.running, id)
	return output.End(), true
}

// tokenBytes is the approximate number of bytes of text per token.
const tokenBytes = 4

// Tokens returns the approximate number of tokens of a text with a number of bytes.
func Tokens(bytes int) int { return (bytes + tokenBytes - 1) / tokenBytes }

// Size returns how many bytes of text a piece of the answer has, with its thinking.
func Size(e event.Delta) int { return len(e.Text) + len(e.Thinking) }
