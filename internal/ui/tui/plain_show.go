package tui

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// ShowThinking implements frontend.ThinkingViewer.
func (p *Plain) ShowThinking(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.verbose = on
}

// recall shows that the session continues an earlier one, and its last answer.
func (p *Plain) recall(history []llm.Message) {
	if len(history) == 0 {
		return
	}
	p.label("Note", fmt.Sprintf("continues a session of %d messages", len(history)))
	for _, m := range slices.Backward(history) {
		if m.Role == llm.RoleAssistant && m.Content != "" {
			p.label("aura", m.Content)
			return
		}
	}
}

// Event implements frontend.FrontEnd.
func (p *Plain) Event(e event.Event) {
	p.stopPatience()
	switch e := e.(type) {
	case event.Delta:
		p.stream(e)
	case event.Message:
		p.endLine()
		if e.Role == "user" && e.Auto {
			p.label("Auto", e.Content)
		}
	case event.Request:
		p.endLine()
		p.startPatience()
	case event.Done:
		p.endLine()
	case event.Command:
		p.label("Output", e.Output)
	case event.ToolCall:
		p.label("Tool", (&toolCall{ToolCall: e}).title())
	case event.Progress:
		p.progress(e)
	case event.ToolResult:
		p.result(e)
	case event.Waiting:
		p.label("Waiting", strings.TrimSpace(string(e.For)+" "+e.Name))
	case event.Injection:
		p.label("Plugin "+plaintext.Line(e.Plugin)+" adds", e.Content)
	case event.Error:
		p.label("Error", e.Message)
	default:
		if _, text := terminal.Remark(e); text != "" {
			p.label("Note", strings.TrimLeft(text, "!= "))
		}
	}
}

// modelPatience is how long the model may be silent before a line says that aura waits for it.
const modelPatience = 2 * time.Second

// startPatience writes a line if no event comes for a while after a request.
func (p *Plain) startPatience() {
	p.mu.Lock()
	defer p.mu.Unlock()
	var timer *time.Timer
	timer = time.AfterFunc(modelPatience, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.patient == timer {
			p.writeLocked("Waiting: model\n")
		}
	})
	p.patient = timer
}

func (p *Plain) stopPatience() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.patient != nil {
		p.patient.Stop()
	}
	p.patient = nil
}

// stream writes the answer as it comes.
func (p *Plain) stream(e event.Delta) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := e.Text
	if p.verbose {
		text = e.Thinking + text
	}
	begun := p.streaming.Answer.Begun()
	if text = p.streaming.Answer.Next(text, true); text == "" {
		return
	}
	if !begun {
		text = "aura: " + text
	}
	p.writeLocked(text)
}

func (p *Plain) endLine() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endLocked()
}

func (p *Plain) endLocked() {
	rest, begun, _ := p.streaming.Answer.End()
	if rest != "" {
		p.writeLocked(rest)
	}
	if begun {
		p.writeLocked("\n")
	}
}

// label writes text after a label.
func (p *Plain) label(label, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endLocked()
	text = terminal.Hanging(text)
	switch {
	case text == "":
		text = label
	case label != "":
		text = label + ": " + text
	}
	p.writeLocked(text + "\n")
}

func (p *Plain) write(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writeLocked(text)
}

// writeLocked ignores errors: a terminal that is gone ends the input too.
func (p *Plain) writeLocked(text string) { _, _ = io.WriteString(p.out, text) }

func (p *Plain) progress(e event.Progress) {
	if e.Ended {
		return
	}
	if e.Status || e.Step {
		p.label("Progress", plaintext.Line(e.Tool)+": "+plaintext.Line(e.Text))
		return
	}
	p.mu.Lock()
	lines := p.streaming.Tools.Next(e.ID, e.Text)
	p.mu.Unlock()
	for _, line := range lines {
		p.label("Output", line)
	}
}

func (p *Plain) result(e event.ToolResult) {
	p.mu.Lock()
	last, printed := p.streaming.Tools.End(e.ID)
	p.mu.Unlock()
	for _, line := range last {
		p.label("Output", line)
	}
	text := e.Content
	if printed {
		text = e.Note
	}
	name := plaintext.Line(e.Name)
	if e.Error != "" {
		p.label("Tool "+name+" failed", e.Error)
		return
	}
	var short terminal.Output
	lines := append(short.Next(text), short.End()...)
	p.label(fmt.Sprintf("Tool %s done in %s", name, elapsed(e.Duration)), strings.Join(lines, "\n"))
	if e.Diff != "" {
		p.label("Changes", e.Diff)
	}
}

// pane shows the output of a program, line by line.
type pane struct {
	p    *Plain
	rest string
}

func (w *pane) Write(b []byte) (int, error) {
	const most = 64 << 10 // bytes of a line
	w.rest += string(b)
	for {
		line, rest, ok := strings.Cut(w.rest, "\n")
		if !ok && len(w.rest) < most {
			return len(b), nil
		}
		w.p.label("Output", line)
		w.rest = rest
	}
}

func (w *pane) end() {
	if w.rest != "" {
		w.p.label("Output", w.rest)
	}
	w.rest = ""
}
