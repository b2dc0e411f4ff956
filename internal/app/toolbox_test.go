package app

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/settings/setup"
)

// box opens a toolbox with the tools of a project.
func (p *place) box(o inspect.ToolboxOptions) *inspect.Toolbox {
	p.t.Helper()
	o.Config, o.Gate, o.WithoutPlugins = p.o.Config, p.o.Gate, true
	b, err := inspect.OpenToolbox(p.t.Context(), o)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		if err := b.Close(); err != nil {
			p.t.Error(err)
		}
	})
	return b
}

// TestOfferedAsInSession compares the list of a toolbox with the tools that a session offers.
func TestOfferedAsInSession(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		".aura/config/agents/a.md":         "---\nname: a\ntools: {enabled: ['*', Edit], disabled: ['R?', 'To*']}\n---\n",
		".aura/config/features/tools.yaml": "tools: {opt_in: [Edit, Patch]}\n",
		".aura/config/tools/mine.yaml":     "Mkdir: {disabled: true}\n",
	})
	for _, o := range []setup.Options{{}, {Agent: "a"}, {ExcludeTools: []string{"*s*"}}, {IncludeTools: []string{"Edit", "W*"}}} {
		p.o.Agent, p.o.IncludeTools, p.o.ExcludeTools = o.Agent, o.IncludeTools, o.ExcludeTools
		session, err := Open(t.Context(), p.o, &outcome{})
		if err != nil {
			t.Fatal(err)
		}
		want := session.talk.Context().AvailableTools
		if err := session.Close("done"); err != nil {
			t.Error(err)
		}
		var got []string
		for _, e := range p.box(inspect.ToolboxOptions{Options: o}).List(t.Context()) {
			if e.Offered {
				got = append(got, e.Name)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: got %q, a session has %q", o.Agent, got, want)
		}
	}
}

// TestSandboxNotices checks that a tool that is run alone shows the same notices about the sandbox as a session does.
func TestSandboxNotices(t *testing.T) { //nolint:paralleltest // the home directory is that of the process
	p := newPlace(t, nil)
	t.Setenv("HOME", p.dir) // a working directory about which there is a notice
	var told []string
	p.box(inspect.ToolboxOptions{Notify: func(text string) { told = append(told, text) }})
	for _, e := range p.run(t.Context(), "/help").events {
		n, ok := e.(event.Notice)
		if !ok || !strings.Contains(n.Text, "sandbox") {
			continue
		}
		if i := slices.Index(told, n.Text); i >= 0 {
			told = slices.Delete(told, i, i+1)
		} else {
			t.Errorf("only a session shows: %s", n.Text)
		}
	}
	for _, text := range told {
		t.Errorf("only a tool that is run alone shows: %s", text)
	}
	p.box(inspect.ToolboxOptions{Listing: true, Notify: func(text string) { t.Errorf("a list shows: %s", text) }})
}
