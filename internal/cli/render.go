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
	// piped is set if standard output is no terminal: then the model's text passes but for control sequences.
	piped bool
	// said and thought clean what streams in, where a sequence may be cut anywhere.
	said, thought plaintext.Cleaner
	// verbose shows the model's thinking.
	verbose atomic.Bool
	// debug shows all events, as the lines of --json.
	debug bool
	lines event.Encoder
	// open is set while a line of the model's text is not ended.
	open bool
	// musing is set while a line of the model's thinking is not ended.
	musing bool
	// streams are what tools that still run have said, by the ids of their calls.
	streams map[string]*stream
	// failed is set once the error that ends the run has been shown.
	failed bool
}

// resultLimit is how much of a tool's result is shown, in runes.
const resultLimit = 160

// Event shows what happens.
func (r *textRenderer) Event(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.debug {
		r.trace(e)
	}
	switch e := e.(type) {
	case event.Delta:
		r.think(e.Thinking)
		r.text(e.Text)
	case event.Message:
		r.endLine()
	case event.Command:
		r.endLine()
		r.text(e.Output + "\n")
	case event.Injection:
		r.tell("~ %s: %s", e.Plugin, oneLine(e.Content, resultLimit))
	case event.ToolCall:
		r.tell("> %s %s", oneLine(e.Name, resultLimit), oneLine(string(e.Arguments), resultLimit))
	case event.ToolResult:
		if r.endStream(e.ID) && e.Error == "" {
			r.tell("%s", strings.TrimRight(fmt.Sprintf("< %s (%s) %s", oneLine(e.Name, resultLimit), e.Duration.Round(time.Millisecond),
				oneLine(e.Note, resultLimit)), " "))
			return
		}
		if e.Error != "" {
			r.tell("< %s failed: %s", oneLine(e.Name, resultLimit), oneLine(e.Error, 3*resultLimit))
			return
		}
		r.tell("< %s (%s) %s", oneLine(e.Name, resultLimit), e.Duration.Round(time.Millisecond), oneLine(e.Content, resultLimit))
	case event.Compaction:
		r.tell("= %s", compactionLine(e))
	case event.AgentSwitch:
		r.tell("= %s", switchLine(e))
	case event.Progress:
		r.progress(e)
	case event.Notice:
		r.tell("! %s", indent(clean(named(e.Plugin, e.Text))))
	case event.PluginError:
		if !e.Returned { // it is in the plugin's log, and --debug traces it
			r.tell("! %s", indent(clean(named(e.Plugin, e.Error))))
		}
	case event.Error:
		r.tell("! %s", indent(clean(e.Message)))
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
	fmt.Fprint(r.err, s)
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

func (r *textRenderer) text(s string) {
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

func (r *textRenderer) tell(format string, args ...any) {
	r.endLine()
	r.endThought()
	fmt.Fprintf(r.err, format+"\n", args...)
}

func (r *textRenderer) trace(e event.Event) {
	line, err := r.lines.Next(e)
	if err != nil {
		line = []byte(err.Error())
	}
	fmt.Fprintf(r.err, "debug: %s\n", clean(string(line)))
}

// endThought ends a line of thinking before something else is shown.
func (r *textRenderer) endThought() {
	r.thought.End()
	if r.musing {
		fmt.Fprintln(r.err)
		r.musing = false
	}
}

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
	r.endLine()
	r.endThought()
}

// indent keeps the later lines of a notice apart from what follows.
func indent(s string) string { return strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ") }
