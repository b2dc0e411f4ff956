package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// talk is the script of a conversation in which the model calls a tool once and then answers.
const talk = `
model: {name: talker, family: script, context_length: 8192, capabilities: [tools]}
turns:
  - {text: First., tool_calls: [{name: Bash, arguments: {command: touch made}}], usage: {input: 10, output: 5}}
  - {text: Second., usage: {input: 20, output: 5}}
  - {text: Third.}
`

// place is a separate project for one test.
type place struct {
	t   *testing.T
	dir string
	// o holds the options of the next session. confirm answers its questions; nil if no user can be asked.
	o       Options
	confirm func(context.Context, policy.Question) (policy.Answer, error)
}

// newPlace creates a project without plugins whose model plays talk, and adds files to it.
func newPlace(t *testing.T, files map[string]string) *place {
	t.Helper()
	p := &place{t: t, dir: t.TempDir()}
	p.write(".aura/config/providers/test.yaml", "test: {type: script, file: talk.yaml}\n")
	p.write(".aura/config/talk.yaml", talk)
	for name, content := range files {
		p.write(name, content)
	}
	none := ""
	environ := append([]string{"XDG_STATE_HOME=" + t.TempDir()}, os.Environ()...)
	p.o = Options{
		Options: setup.Options{WithoutPlugins: true},
		Config:  config.Options{Workdir: p.dir, Home: &none, Environ: environ},
		Gate:    &gate.Gate{Trust: true},
	}
	return p
}

func (p *place) write(name, content string) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) has(name string) bool {
	_, err := os.Stat(filepath.Join(p.dir, name))
	return err == nil
}

// outcome is the result of a session.
type outcome struct {
	events  []event.Event
	history []llm.Message
	err     error
}

// Event implements frontend.FrontEnd.
func (o *outcome) Event(e event.Event) { o.events = append(o.events, e) }

// asked is a front end with a user who answers.
type asked struct {
	*outcome
	confirm func(context.Context, policy.Question) (policy.Answer, error)
}

func (a asked) Ask(ctx context.Context, q policy.Question) (policy.Answer, error) {
	return a.confirm(ctx, q)
}

// run opens a session, runs the prompts and closes the session.
func (p *place) run(ctx context.Context, prompts ...string) outcome {
	p.t.Helper()
	var out outcome
	var front frontend.FrontEnd = &out
	if p.confirm != nil {
		front = asked{&out, p.confirm}
	}
	a, err := Open(ctx, p.o, front)
	if err != nil {
		return outcome{events: out.events, err: err}
	}
	out.err = frontend.Run(ctx, a, prompts)
	out.history = a.talk.History()
	if err := a.Close(ReasonOf(ctx, out.err)); err != nil {
		p.t.Error(err)
	}
	return out
}

// said returns the output of commands, and told returns errors and notices, one per line.
func (o outcome) said() string {
	var b strings.Builder
	for _, e := range o.events {
		if e, ok := e.(event.Command); ok {
			b.WriteString(e.Output + "\n")
		}
	}
	return b.String()
}

func (o outcome) told() string {
	var b strings.Builder
	for _, e := range o.events {
		switch e := e.(type) {
		case event.Error:
			b.WriteString(e.Message + "\n")
		case event.Notice:
			b.WriteString(e.Text + "\n")
		case event.ToolResult:
			b.WriteString(e.Error + "\n")
		}
	}
	return b.String()
}
