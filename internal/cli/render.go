package cli

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// renderer shows events. Its methods must be safe for concurrent use, because plugins still report while the run ends.
type renderer interface {
	frontend.FrontEnd
	// finish ends the output properly, whatever was shown last.
	finish()
}

// textRenderer streams the model's text to standard output and shows everything else on standard error.
type textRenderer struct {
	// mu is held while something is shown.
	mu       sync.Mutex
	out, err io.Writer
	// look describes what standard error can show.
	look terminal.Look
	// markdown renders the model's text. It is nil if the text is shown as it arrives.
	markdown *terminal.Markdown
	// spinner shows what aura is waiting for, according to the events.
	spinner spinner
	// piped is set if standard output is not a terminal. The model's text is then written unchanged except for control sequences.
	piped bool
	// streaming is what was shown of the model's text and thinking, and of running tools.
	streaming terminal.Streaming
	// verbose shows the model's thinking.
	verbose atomic.Bool
	// traced reports whether --debug shows an event, in the format of --json. If it is nil, no event is shown.
	traced func(event.Event) bool
	lines  event.Encoder
	// failed is set after the error that ends the run was shown.
	failed bool
}

// newTextRenderer returns a renderer for the streams of a command.
func newTextRenderer(s streams) *textRenderer {
	r := &textRenderer{out: s.out, err: s.err, piped: !isTerminal(s.out)}
	if s.screen == nil {
		return r
	}
	r.look, r.spinner.screen = s.screen.ErrLook(), s.screen
	if look := s.screen.OutLook(); look.Styled {
		r.markdown = terminal.NewMarkdown(look)
	}
	return r
}

// resultLimit is how much of a tool's result is shown, in runes.
const resultLimit = 160

// Event shows an event.
func (r *textRenderer) Event(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.traced != nil && r.traced(e) {
		r.trace(e)
	}
	r.show(e)
	r.spinner.after(e, r.tail())
}

func (r *textRenderer) show(e event.Event) {
	switch e := e.(type) {
	case event.Delta:
		r.think(e.Thinking)
		r.text(e.Text)
	case event.Request, event.Message, event.Done:
		r.endText()
	case event.Command:
		r.endText()
		r.stream(e.Output + "\n")
	case event.ToolCall:
		r.call(e)
	case event.ToolResult:
		r.result(e)
	case event.Progress:
		r.progress(e)
	case event.Error:
		r.endText()
		r.remark(e)
		r.failed = true
	default:
		r.remark(e)
	}
}

// remark shows an event that is not part of the model's answer.
func (r *textRenderer) remark(e event.Event) {
	if style, text := terminal.Remark(e); text != "" {
		r.tell(style, "%s", text)
	}
}

// ShowThinking turns the display of the model's thinking on or off.
func (r *textRenderer) ShowThinking(on bool) { r.verbose.Store(on) }

// think shows thinking on standard error as it arrives.
func (r *textRenderer) think(s string) {
	if s == "" || !r.verbose.Load() {
		return
	}
	r.endLine()
	if s = r.streaming.Thinking.Next(s, true); s != "" {
		r.paint(terminal.Quiet, s)
	}
}

// text shows the model's text: as it arrives, or rendered once a block is complete.
func (r *textRenderer) text(s string) {
	if r.markdown == nil {
		r.stream(s)
		return
	}
	if shown := r.markdown.Next(s); shown != "" {
		r.endThought()
		r.print(r.out, shown)
	}
}

// tail returns the model's text that is not shown yet.
func (r *textRenderer) tail() string {
	if r.markdown == nil {
		return ""
	}
	return r.markdown.Tail()
}

// stream writes text to standard output as it arrives.
func (r *textRenderer) stream(s string) {
	if s == "" {
		return
	}
	if s = r.streaming.Answer.Next(s, !r.piped); s == "" {
		return
	}
	r.endThought()
	r.write(s)
}

// write ignores errors, because output records them.
func (r *textRenderer) write(s string) {
	if s != "" {
		_, _ = io.WriteString(r.out, s)
	}
}

// print ignores errors: output records those of standard output, and text that standard error does not accept is lost.
func (r *textRenderer) print(w io.Writer, text terminal.Styled) { _ = terminal.Print(w, text) }

func (r *textRenderer) paint(s terminal.Style, text string) { r.print(r.err, r.look.Paint(s, text)) }

// tell shows one or more lines that are not the model's text.
func (r *textRenderer) tell(s terminal.Style, format string, args ...any) {
	r.endLine()
	r.endThought()
	r.paint(s, fmt.Sprintf(format+"\n", args...))
}

func (r *textRenderer) trace(e event.Event) {
	line, err := r.lines.Next(e)
	if err != nil {
		line = []byte(err.Error())
	}
	r.paint(terminal.Quiet, fmt.Sprintf("debug: %s\n", clean(string(line))))
}

// endThought ends a line of thinking before something else is shown.
func (r *textRenderer) endThought() {
	if _, _, open := r.streaming.Thinking.End(); open {
		r.paint(terminal.Plain, "\n")
	}
}

// endText shows the rest of the model's text.
func (r *textRenderer) endText() {
	if r.markdown != nil {
		if rest := r.markdown.End(); rest != "" {
			r.endThought()
			r.print(r.out, rest)
		}
	}
	r.endLine()
}

// endLine ends a line of text before something else is shown. Rendered text always ends with a line break: output between two
// blocks, such as a notice, does not end the open block.
func (r *textRenderer) endLine() {
	rest, _, open := r.streaming.Answer.End()
	r.write(rest)
	if open || rest != "" {
		r.write("\n")
	}
}

func (r *textRenderer) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endText()
	r.endThought()
	r.spinner.end()
}

// took returns how long a call ran, rounded for display.
func took(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
