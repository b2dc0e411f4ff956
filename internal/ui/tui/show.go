package tui

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/terminal"
)

const (
	// liveLines is how many lines of a running tool's output the live area shows.
	liveLines = 4
	// liveRows is how many rows of the live area show what is going on. If a terminal becomes lower than the live area, rows of the
	// unfinished answer stay in its scrollback, so the live area must fit into a low terminal.
	liveRows = 6
	// narrowRows is the same for terminals that break rows, with each row broken for ruleWidth columns.
	narrowRows = 4
)

// show turns events into finished text and into the rows of what is going on.
type show struct {
	look *terminal.Look
	// debug shows every event as JSON.
	debug   bool
	encoder event.Encoder
	// verbose prints the model's thinking. Otherwise it is folded into one line.
	verbose bool

	markdown *terminal.Markdown
	// said is set after a part of the answer was printed.
	said       bool
	thought    strings.Builder
	thinkSince time.Time
	// streaming is what has arrived of the thinking and of the output of running tools.
	streaming terminal.Streaming
	// lastAnswer is the last complete answer, for /copy.
	lastAnswer string

	calls []*toolCall
	// chosen is the id of the running call that the user has chosen; empty for none.
	chosen string
	// shownChanges is the diff that the last question showed. It is not shown again with the result.
	shownChanges string
	// what is being waited for, since when. bytes is how much of the answer has arrived.
	activity terminal.Activity
	since    time.Time
	bytes    int
	// spinning is set when the spinner has appeared in this turn.
	spinning bool
	// asking is set while a question is open: the user knows what is being waited for.
	asking bool
}

func newShow(look *terminal.Look, debug bool) *show {
	return &show{look: look, debug: debug, markdown: terminal.NewMarkdown(*look), activity: terminal.Activity{What: "starting"}, spinning: true, since: time.Now()}
}

// waiting reports whether something is being waited for.
func (s *show) waiting() bool { return s.activity != (terminal.Activity{}) }

// stopWaiting ends what is being waited for.
func (s *show) stopWaiting() { s.activity = terminal.Activity{} }

// begin is called when a line is given to the session.
func (s *show) begin() {
	s.spinning = false
	s.await(hooks)
}

// hooks is the activity between those that events tell of.
var hooks = terminal.Activity{What: "hooks"}

func (s *show) await(a terminal.Activity) {
	if s.activity.What != a.What || s.activity.Name != a.Name {
		s.since = time.Now()
	}
	s.activity = a
	s.spinning = s.spinning || a != hooks
}

// line returns a line of aura's own, apart from what was printed before it.
func (s *show) line(style terminal.Style, text string) terminal.Styled {
	return s.endThought() + s.look.Paint(style, text) + "\n"
}

// prompt returns what the user sent.
func (s *show) prompt(text string) terminal.Styled {
	text = strings.ReplaceAll(strings.TrimRight(plaintext.Show(text), "\n"), "\n", "\n  ")
	return "\n" + s.look.Paint(terminal.Strong, "> "+text) + "\n"
}

// event returns the finished text that an event causes.
func (s *show) event(e event.Event) terminal.Styled {
	var out terminal.Styled
	if s.debug {
		out = s.trace(e)
	}
	switch e := e.(type) {
	case event.Delta:
		out += s.delta(e)
	case event.Message:
		out += s.message(e)
	case event.Request:
		out += s.endAnswer()
		s.bytes = 0
		if s.activity.What != string(event.ForCompaction) { // the request for a summary is part of the compaction
			s.await(terminal.Activity{What: "model"})
		}
	case event.ToolCall:
		out += s.endAnswer()
		s.calls = append(s.calls, &toolCall{ToolCall: e, since: time.Now()})
	case event.Progress:
		out += s.progress(e)
	case event.ToolResult:
		out += s.result(e)
	case event.Command:
		out += s.endAnswer() + s.look.Paint(terminal.Plain, strings.TrimRight(e.Output, "\n")) + "\n"
	case event.Waiting:
		s.await(terminal.Activity{What: string(e.For), Name: e.Name})
	case event.Done:
		out += s.end()
		s.await(hooks)
	default:
		switch e.(type) {
		case event.Error:
			out += s.endAnswer()
		case event.Compaction:
			s.await(hooks)
		}
		if style, text := terminal.Remark(e); text != "" {
			out += s.line(style, text)
		}
	}
	if len(s.calls) > 0 && s.activity.What != string(event.ForCompaction) {
		s.await(terminal.Activity{What: "tool", Name: s.calls[0].Name})
	}
	return out
}

func (s *show) trace(e event.Event) terminal.Styled {
	line, err := s.encoder.Next(e)
	if err != nil {
		line = []byte(err.Error())
	}
	return s.look.Paint(terminal.Quiet, "debug: "+string(line)) + "\n"
}

// delta takes a piece of the answer.
func (s *show) delta(e event.Delta) terminal.Styled {
	s.bytes += terminal.Size(e)
	s.activity.Tokens = terminal.Tokens(s.bytes)
	var out terminal.Styled
	if e.Thinking != "" {
		out += s.think(e.Thinking)
	}
	if e.Text == "" {
		return out
	}
	if text := s.markdown.Next(e.Text); text != "" {
		out += s.endThought() + s.block(text)
	}
	return out
}

// block returns a part of the answer. A blank line separates the answer from what was printed before it.
func (s *show) block(text terminal.Styled) terminal.Styled {
	if !s.said {
		s.said = true
		text = "\n" + text
	}
	return text
}

// answer returns an answer of an earlier session.
func (s *show) answer(text string) terminal.Styled {
	s.lastAnswer = text
	out := "\n" + s.markdown.Next(text) + s.markdown.End()
	s.markdown = terminal.NewMarkdown(*s.look)
	return out
}

// think takes a piece of the model's thinking.
func (s *show) think(text string) terminal.Styled {
	if s.thought.Len() == 0 {
		s.thinkSince = time.Now()
	}
	text = s.streaming.Thinking.Next(text, true)
	const keep = 1 << 20 // bytes
	if s.thought.Len()+len(text) < keep {
		s.thought.WriteString(text)
	}
	return ""
}

// endThought folds the thinking into one line, or prints it.
func (s *show) endThought() terminal.Styled {
	text := strings.TrimSpace(s.thought.String())
	s.thought.Reset()
	s.streaming.Thinking.End()
	if text == "" {
		return ""
	}
	if s.verbose {
		return "\n" + s.look.Paint(terminal.Quiet, text) + "\n"
	}
	return "\n" + s.look.Paint(terminal.Quiet, fmt.Sprintf("∴ thought for %s, ~%d tokens", elapsed(time.Since(s.thinkSince)), terminal.Tokens(len(text)))) + "\n"
}

// endAnswer returns the rest of the answer.
func (s *show) endAnswer() terminal.Styled {
	out := s.endThought()
	if rest := s.markdown.End(); rest != "" {
		out += s.block(rest)
	}
	s.markdown = terminal.NewMarkdown(*s.look) // the width and the colours may have changed
	s.said = false
	return out
}

func (s *show) message(e event.Message) terminal.Styled {
	out := s.endAnswer()
	if e.Role == "user" {
		return out + s.prompt(cmp.Or(e.Shown, e.Content))
	}
	if e.Content != "" {
		s.lastAnswer = e.Content
	}
	s.await(hooks)
	return out
}

// end ends a turn.
func (s *show) end() terminal.Styled {
	out := s.endAnswer()
	for _, c := range s.calls { // the turn was interrupted
		out += s.look.Paint(terminal.Quiet, bullet+c.title()+" (interrupted)") + "\n"
	}
	s.calls, s.chosen, s.streaming.Tools = nil, "", terminal.Outputs{}
	return out
}

// liveRow is a row of what is going on. A head says what the rows below it belong to, and stays longer than they do where there is little room.
type liveRow struct {
	text terminal.Styled
	head bool
}

// live returns the rows of what is going on.
func (s *show) live(width int, now time.Time) []liveRow {
	var out []liveRow
	add := func(head bool, rows ...terminal.Styled) {
		for _, row := range rows {
			out = append(out, liveRow{row, head})
		}
	}
	if tail := s.markdown.Preview(); tail != "" {
		if !s.said {
			add(false, "")
		}
		add(false, terminal.Rows(tail, width)...)
	} else if s.thought.Len() > 0 {
		text := s.thought.String()
		const shown = 2 << 10 // bytes; the end is what matters
		text = strings.ToValidUTF8(text[max(0, len(text)-shown):], "")
		rows := terminal.Rows(s.look.Paint(terminal.Quiet, strings.TrimSpace(text)), width)
		add(false, rows[max(0, len(rows)-liveLines):]...)
	}
	for _, c := range s.calls {
		mark := bullet
		if c.ID == s.chosen {
			mark = chosenBullet
		}
		row := s.look.Paint(terminal.Strong, mark+c.title())
		if c.status != "" {
			row += s.look.Paint(terminal.Quiet, "  "+c.status)
		}
		add(true, terminal.CutRow(row, width))
		for _, line := range c.last {
			add(false, terminal.CutRow(s.look.Paint(terminal.Quiet, "  │ "+plaintext.Show(line)), width))
		}
	}
	if spinner := s.spinner(width, now); spinner != "" {
		add(true, spinner)
	}
	return out
}

// quiet is the delay before the spinner appears at the beginning of a turn. Once the spinner is there, it stays until the turn ends.
const quiet = 200 * time.Millisecond

var frames = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// spinner returns the row that says what is being waited for.
func (s *show) spinner(width int, now time.Time) terminal.Styled {
	waited := now.Sub(s.since)
	if !s.waiting() || s.asking || !s.spinning && waited < quiet {
		return ""
	}
	frame := frames[int(now.UnixMilli()/beat.Milliseconds())%len(frames)]
	return s.look.Paint(terminal.Accent, frame) + " " + s.look.Paint(terminal.Quiet, s.activity.Line(waited, width-2))
}

// elapsed returns a duration for people.
func elapsed(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	default:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
}
