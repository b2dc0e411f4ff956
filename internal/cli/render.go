package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/frontend"
	"github.com/idelchi/aura/internal/plaintext"
	"github.com/idelchi/aura/internal/terminal"
)

// renderer shows events. Its methods may be called from several goroutines: while the run ends, plugins still report.
type renderer interface {
	frontend.FrontEnd
	// finish ends the output properly, whatever was last on it.
	finish()
}

// textRenderer streams the model's text to standard output and tells everything else on standard error.
type textRenderer struct {
	// mu is held while something is shown.
	mu       sync.Mutex
	out, err io.Writer
	// look is what standard error can show.
	look terminal.Look
	// markdown renders the model's text; nil where it is shown as it comes.
	markdown *terminal.Markdown
	// spinner shows what is being waited for, as the events say.
	spinner spinner
	// piped is set if standard output is no terminal: then the model's text passes but for control sequences.
	piped bool
	// said and thought clean what streams in, where a sequence may be cut anywhere.
	said, thought plaintext.Cleaner
	// verbose shows the model's thinking.
	verbose atomic.Bool
	// traced picks the events that --debug shows, as the lines of --json; nil picks none.
	traced func(event.Event) bool
	lines  event.Encoder
	// open is set while a line of the model's text is not ended.
	open bool
	// musing is set while a line of the model's thinking is not ended.
	musing bool
	// outputs are what tools that still run have printed, by the ids of their calls.
	outputs map[string]*terminal.Output
	// failed is set once the error that ends the run has been shown.
	failed bool
}

// newTextRenderer returns one for the streams of a command.
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

// Event shows what happens.
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
	case event.Injection:
		r.tell(terminal.Accent, "~ %s: %s", e.Plugin, oneLine(e.Content, resultLimit))
	case event.ToolCall:
		r.call(e)
	case event.ToolResult:
		r.result(e)
	case event.Compaction:
		r.tell(terminal.Quiet, "= %s", compactionLine(e))
	case event.AgentSwitch:
		r.tell(terminal.Quiet, "= %s", switchLine(e))
	case event.Progress:
		r.progress(e)
	case event.Notice:
		r.tell(terminal.Warning, "! %s", indent(clean(named(e.Plugin, e.Text))))
	case event.PluginError:
		if !e.Returned { // it is in the plugin's log, and --debug traces it
			r.tell(terminal.Warning, "! %s", indent(clean(named(e.Plugin, e.Error))))
		}
	case event.Error:
		r.endText()
		r.tell(terminal.Failure, "! %s", indent(clean(e.Message)))
		r.failed = true
	}
}

// named says whose text it is, unless the text says so itself.
func named(plugin, text string) string {
	if plugin == "" || strings.Contains(text, fmt.Sprintf("plugin %q", plugin)) {
		return text
	}
	return plugin + ": " + text
}

// ShowThinking shows the thinking of the model from here on, or stops it.
func (r *textRenderer) ShowThinking(on bool) { r.verbose.Store(on) }

// think shows thinking on standard error, as it comes.
func (r *textRenderer) think(s string) {
	if s == "" || !r.verbose.Load() {
		return
	}
	r.endLine()
	r.thought.Visible = true
	if s = r.thought.Next(s); s == "" {
		return
	}
	r.paint(terminal.Quiet, s)
	r.musing = !strings.HasSuffix(s, "\n")
}

// compactionLine tells of a compaction.
func compactionLine(e event.Compaction) string {
	if !e.Success {
		return "the history was not compacted: " + clean(e.Error)
	}
	return fmt.Sprintf("compacted (%s): %d messages became %d, about %d tokens became %d", e.Trigger, e.PreMessages, e.PostMessages, e.TokensBefore, e.TokensAfter)
}

// switchLine names the agent and the model that answer from now on.
func switchLine(e event.AgentSwitch) string {
	text := fmt.Sprintf("switched to %s", e.Model)
	if e.Agent != "" {
		text = fmt.Sprintf("switched to %s (%s)", e.Agent, e.Model)
	}
	if e.Mode != "" {
		text += ", mode " + e.Mode
	}
	return clean(fmt.Sprintf("%s [%s]", text, e.Reason))
}

// text shows what the model says: as it comes, or rendered once a block is complete.
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

// tail is what the model said and is not shown yet.
func (r *textRenderer) tail() string {
	if r.markdown == nil {
		return ""
	}
	return r.markdown.Tail()
}

// stream writes text to standard output as it comes.
func (r *textRenderer) stream(s string) {
	if s == "" {
		return
	}
	r.said.Visible = !r.piped
	if s = r.said.Next(s); s == "" {
		return
	}
	r.endThought()
	r.write(s)
	r.open = !strings.HasSuffix(s, "\n")
}

// write leaves it to output to tell of a failure.
func (r *textRenderer) write(s string) { _, _ = io.WriteString(r.out, s) }

// print leaves it to output to tell of a failure. What standard error does not take is lost.
func (r *textRenderer) print(w io.Writer, text terminal.Styled) { _ = terminal.Print(w, text) }

func (r *textRenderer) paint(s terminal.Style, text string) { r.print(r.err, r.look.Paint(s, text)) }

// tell shows a line, or several, of what is not the model's text.
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
	r.thought.End()
	if r.musing {
		r.paint(terminal.Plain, "\n")
		r.musing = false
	}
}

// endText shows the rest of what the model says.
func (r *textRenderer) endText() {
	if r.markdown != nil {
		if rest := r.markdown.End(); rest != "" {
			r.endThought()
			r.print(r.out, rest)
		}
	}
	r.endLine()
}

// endLine ends a line of text before something else is shown. Rendered text always ends with a line: what comes between two blocks of it, such
// as a notice, does not end the block that is open.
func (r *textRenderer) endLine() {
	if rest := r.said.End(); rest != "" {
		r.write(rest)
		r.open = true
	}
	if r.open {
		r.write("\n")
		r.open = false
	}
}

func (r *textRenderer) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endText()
	r.endThought()
	r.spinner.end()
}

// indent keeps the later lines of a notice apart from what follows.
func indent(s string) string { return strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ") }

// took is how long a call ran.
func took(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
