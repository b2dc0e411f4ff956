package app

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/app/gate"
)

// nobody is a front end that shows nothing.
type nobody struct{}

func (nobody) Event(event.Event) {}

// opened opens a session in a place and closes it at the end of the test.
func opened(t *testing.T, p *place) *Session {
	t.Helper()
	s, err := Open(t.Context(), p.o, nobody{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(session.ReasonDone); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestStatus checks what a front end sees of a session, also while a prompt runs.
func TestStatus(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		".aura/config/agents/a.md":        "---\nname: a\ndescription: The first.\ndefault: true\nmode: slow\n---\n",
		".aura/config/agents/b.md":        "---\nname: b\n---\n",
		".aura/config/agents/hidden.md":   "---\nname: hidden\nhide: true\n---\n",
		".aura/config/modes/slow.md":      "---\nname: slow\ndescription: With care.\n---\n",
		".aura/config/commands/review.md": "---\nname: review\ndescription: Review it.\nhints: [FILE]\n---\nReview {{ .Args }}\n",
		".aura/config/talk.yaml":          "turns:\n  - text: First.\n    usage: {input: 20, output: 5}\n",
	})
	s := opened(t, p)
	before := s.Status()
	if before.Agent != "a" || before.Mode != "slow" || before.TokensIn != 0 || before.Workdir != p.dir || before.SessionID == "" || before.Auto {
		t.Errorf("at the beginning: %+v", before)
	}
	var all sync.WaitGroup
	stop := make(chan struct{})
	all.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_, _, _ = s.Status(), s.Commands(), s.History()
			}
		}
	})
	for _, line := range []string{"/agent b", "/auto on", "/name it"} {
		if _, err := s.RunLine(t.Context(), frontend.Line{Text: line}); err != nil {
			t.Error(err)
		}
	}
	if err := frontend.Run(t.Context(), s, []string{"hello"}); err != nil {
		t.Error(err)
	}
	close(stop)
	all.Wait()
	after := s.Status()
	if after.Agent != "b" || after.Mode != "" || !after.Auto || after.Title != "it" || after.Context <= before.Context || after.TokensIn != 20 || after.TokensOut != 5 {
		t.Errorf("at the end: %+v", after)
	}
	if got := s.History(); len(got) != 2 || got[0].Content != "hello" || got[1].Content != "First." {
		t.Errorf("history: %+v", got)
	}
	i := slices.IndexFunc(s.Commands(), func(c frontend.CommandInfo) bool { return c.Name == "review" })
	if i < 0 || s.Commands()[i].Description != "Review it." || !slices.Equal(s.Commands()[i].Hints, []string{"FILE"}) || !strings.HasSuffix(s.Commands()[i].Origin, "review.md") {
		t.Errorf("commands: %+v", s.Commands())
	}
}

// TestChoices checks which values a front end can offer for a command, and that the command takes them.
func TestChoices(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		".aura/config/agents/a.md":      "---\nname: a\ndescription: The first.\ndefault: true\n---\n",
		".aura/config/agents/b.md":      "---\nname: b\n---\n",
		".aura/config/agents/hidden.md": "---\nname: hidden\nhide: true\n---\n",
		".aura/config/modes/slow.md":    "---\nname: slow\ndescription: With care.\n---\n",
	})
	s := opened(t, p)
	choices := func(command string) []frontend.Choice {
		got, err := s.Choices(t.Context(), command)
		if err != nil {
			t.Error(err)
		}
		return got
	}
	for command, want := range map[string][]frontend.Choice{
		"agent": {{Value: "a", Detail: "The first.", Current: true, Cycled: true}, {Value: "b", Cycled: true}},
		"mode": {
			{Value: "ask", Detail: "Asks before changes and commands", Cycled: true},
			{Value: "edit", Detail: "Changes files without asking, asks before commands", Cycled: true},
			{Value: "auto", Detail: "Runs everything without asking", Cycled: true},
			{Value: "plan", Detail: "Only reads, and ends with a plan that you accept or refuse", Cycled: true},
			{Value: "slow", Detail: "With care.", Cycled: true},
			{Value: "none", Detail: "No mode", Current: true},
		},
		"help": nil,
	} {
		if got := choices(command); !slices.Equal(got, want) {
			t.Errorf("%s: got %+v, want %+v", command, got, want)
		}
	}
	if _, err := s.RunLine(t.Context(), frontend.Line{Text: "/name the first one"}); err != nil {
		t.Error(err)
	}
	saved := choices("resume")
	if len(saved) != 1 || saved[0].Title != "the first one" || !saved[0].Current || !strings.HasPrefix(s.Status().SessionID, saved[0].Value) {
		t.Errorf("resume: got %+v", saved)
	}
	for _, m := range choices("model") {
		if _, err := s.RunLine(context.Background(), frontend.Line{Text: "/model " + m.Value}); err != nil {
			t.Error(err)
		}
	}
}

// TestStanding checks what a front end shows about trust.
func TestStanding(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		files map[string]string
		safe  bool
		want  frontend.Trust
	}{
		"trusted":  {map[string]string{".aura/config/features/tools.yaml": "tools: {policy: {auto: [Bash]}}\n"}, false, frontend.TrustGiven},
		"excluded": {nil, true, frontend.TrustExcluded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, row.files)
			g := &gate.Gate{Trust: !row.safe, Safe: row.safe}
			if _, err := g.Load(t.Context(), p.o.Config); err != nil || g.Standing() != row.want {
				t.Errorf("got %q, %v", g.Standing(), err)
			}
		})
	}
	o := newPlace(t, nil).o.Config
	o.Workdir = t.TempDir()
	g := &gate.Gate{}
	if _, err := g.Load(t.Context(), o); err != nil || g.Standing() != frontend.TrustNone {
		t.Errorf("without a project: got %q, %v", g.Standing(), err)
	}
}
