package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/conversation/event"
)

// renderer shows events. Its methods are called one at a time.
type renderer interface {
	show(e event.Event)
	// finish ends the output properly, whatever was last on it.
	finish()
}

// jsonRenderer writes every event as a line of JSON on standard output and nothing else.
type jsonRenderer struct {
	out io.Writer
	err error
}

func (r *jsonRenderer) show(e event.Event) {
	line, err := event.Encode(e)
	if err == nil {
		_, err = r.out.Write(append(line, '\n'))
	}
	if r.err == nil {
		r.err = err
	}
}

func (r *jsonRenderer) finish() {}

// textRenderer streams the model's text to standard output and tells everything else on standard error.
type textRenderer struct {
	out, err io.Writer
	// plain is set if standard output is no terminal: then the model's text passes as it is.
	plain bool
	// debug shows all events.
	debug bool
	// open is set while a line of the model's text is not ended.
	open bool
	// failed is set once the error that ends the run has been shown.
	failed bool
}

// resultLimit is how much of a tool's result is shown, in runes.
const resultLimit = 160

func (r *textRenderer) show(e event.Event) {
	if r.debug {
		r.trace(e)
	}
	switch e := e.(type) {
	case event.Delta:
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
		if e.Error != "" {
			r.tell("< %s failed: %s", oneLine(e.Name, resultLimit), oneLine(e.Error, 3*resultLimit))
			return
		}
		r.tell("< %s (%s) %s", oneLine(e.Name, resultLimit), e.Duration.Round(time.Millisecond), oneLine(e.Content, resultLimit))
	case event.Notice:
		r.tell("! %s", indent(clean(named(e))))
	case event.PluginError:
		r.tell("! %s", indent(clean(e.Error)))
	case event.Error:
		r.tell("! %s", indent(clean(e.Message)))
		r.failed = true
	}
}

// named says whose notice it is, unless the text says so itself.
func named(n event.Notice) string {
	if n.Plugin == "" || strings.HasPrefix(n.Text, fmt.Sprintf("plugin %q", n.Plugin)) {
		return n.Text
	}
	return n.Plugin + ": " + n.Text
}

func (r *textRenderer) text(s string) {
	if s == "" {
		return
	}
	if !r.plain {
		s = clean(s)
	}
	fmt.Fprint(r.out, s)
	r.open = !strings.HasSuffix(s, "\n")
}

func (r *textRenderer) tell(format string, args ...any) {
	r.endLine()
	fmt.Fprintf(r.err, format+"\n", args...)
}

func (r *textRenderer) trace(e event.Event) {
	line, err := event.Encode(e)
	if err != nil {
		line = []byte(err.Error())
	}
	fmt.Fprintf(r.err, "debug: %s\n", clean(string(line)))
}

func (r *textRenderer) endLine() {
	if r.open {
		fmt.Fprintln(r.out)
		r.open = false
	}
}

func (r *textRenderer) finish() { r.endLine() }

// indent keeps the later lines of a notice apart from what follows.
func indent(s string) string { return strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ") }
