package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// frontProject returns a project whose model requests a call that needs approval, answers, and then never finishes its next
// answer.
func frontProject(t *testing.T) app.Options {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		".aura/config/providers/test.yaml": "test: {type: script, file: talk.yaml}\n",
		".aura/config/talk.yaml": "turns:\n  - {text: First., tool_calls: [{name: Bash, arguments: {command: touch made}}]}\n" +
			"  - {text: Second.}\n  - {text: Never., delay: 1h}\n",
		".aura/config/features/tools.yaml":  "tools: {policy: {confirm: [Bash]}}\n",
		".aura/config/sandbox/sandbox.yaml": "sandbox: {enabled: false}\n",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	none := ""
	return app.Options{
		Options: setup.Options{WithoutPlugins: true},
		Config:  config.Options{Workdir: dir, Home: &none, Environ: append([]string{"XDG_STATE_HOME=" + t.TempDir()}, os.Environ()...)},
		Gate:    &gate.Gate{Trust: true},
	}
}

// third is a front end that records events and approves calls, as an editor or a screen might.
type third struct {
	mu     sync.Mutex
	events []event.Event
	asked  []policy.Question
	// waiting is closed when the model is asked for its third answer.
	waiting chan struct{}
	calls   int
}

func (f *third) Event(e event.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, e)
	if _, ok := e.(event.Request); ok {
		if f.calls++; f.calls == 3 {
			close(f.waiting)
		}
	}
}

func (f *third) Ask(_ context.Context, q policy.Question) (policy.Answer, error) {
	f.asked = append(f.asked, q)
	return policy.Answer{Decision: policy.Once}, nil
}

// TestFrontEnds runs one session with each front end: text, JSON lines, and one that exists only in this test. They use a session
// only through the shared interface.
func TestFrontEnds(t *testing.T) {
	t.Parallel()
	open := func(front frontend.FrontEnd) (frontend.Session, string) {
		o := frontProject(t)
		s, err := app.Open(t.Context(), o, front)
		if err != nil {
			t.Fatal(err)
		}
		return s, filepath.Join(o.Config.Workdir, "made")
	}
	var out, errs, lines bytes.Buffer
	for _, front := range []renderer{&textRenderer{out: &out, err: &errs, piped: true}, &jsonRenderer{out: &lines}} {
		s, made := open(front)
		if err := frontend.Run(t.Context(), s, []string{"go", "/name it", "/exit", "never sent"}); err != nil {
			t.Error(err)
		}
		if err := s.Close(session.ReasonDone); err != nil {
			t.Error(err)
		}
		front.finish()
		if _, err := os.Stat(made); err == nil {
			t.Error("a call ran that nobody approved")
		}
	}
	if out.String() != "First.\nSecond.\nthe session is named it\n" || !strings.Contains(errs.String(), "there is no terminal to ask on") {
		t.Errorf("text: %q, %q", out.String(), errs.String())
	}
	last := 0
	for line := range strings.Lines(lines.String()) {
		var e struct{ Seq int }
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Seq != last+1 {
			t.Errorf("line %s after %d: %v", line, last, err)
		}
		last = e.Seq
	}
	if !strings.Contains(lines.String(), `"type":"command"`) {
		t.Errorf("JSON: %s", lines.String())
	}

	f := &third{waiting: make(chan struct{})}
	s, made := open(f)
	if err := frontend.Run(t.Context(), s, []string{"go"}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(made); err != nil || len(f.asked) != 1 || f.asked[0].Tool != "Bash" {
		t.Errorf("asked %+v, and then: %v", f.asked, err)
	}
	enough := errors.New("enough")
	go func() {
		<-f.waiting
		s.Cancel(enough)
	}()
	if err := frontend.Run(t.Context(), s, []string{"again"}); !errors.Is(err, enough) && !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled prompt: %v", err)
	}
	if exit, err := s.RunLine(t.Context(), frontend.Line{Text: "/exit"}); !exit || err != nil {
		t.Errorf("after a cancelled prompt: %v, %v", exit, err)
	}
	if err := s.Close(session.ReasonDone); err != nil || len(s.Health()) != 0 {
		t.Errorf("closing: %v", err)
	}
	if _, ok := f.events[0].(event.Session); !ok {
		t.Errorf("the first event is %T", f.events[0])
	}
}
