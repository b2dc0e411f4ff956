package slash

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/system/state"
	"github.com/idelchi/aura/sdk"
)

// usage is a session that has used something.
type usage struct {
	current
	parts  conversation.Composition
	stats  sdk.Stats
	models []conversation.ModelUse
}

func (u *usage) Composition() conversation.Composition { return u.parts }
func (u *usage) Stats() sdk.Stats                      { return u.stats }
func (u *usage) Models() []conversation.ModelUse       { return u.models }

func TestUsageCommands(t *testing.T) {
	t.Parallel()
	cost := 0.0125
	s := &usage{
		current: current{setup: &setup.Setup{}, state: sdk.Context{MessageCount: 3, Tokens: sdk.TokenState{Estimate: 40}}},
		parts:   conversation.Composition{System: 20, Prompts: 20},
		stats:   sdk.Stats{Turns: 2, ToolCalls: 1, Duration: 90*time.Second + time.Millisecond, TopTools: []sdk.ToolCount{{Name: "Bash", Count: 1}}},
	}
	const unknown = "40 tokens (estimated) in 3 messages; the size of the model's context is not known\n[SSS"
	if got := runs(t, UsageCommands(s), "/ctx"); !strings.HasPrefix(got, unknown) || strings.Contains(got, "free") {
		t.Errorf("got %q", got)
	}
	s.state.Tokens.Max = 30 // the estimate is larger, so nothing is free
	const over = "40 of 30 tokens (133.3%, estimated) in 3 messages\n"
	if got := runs(t, UsageCommands(s), "/ctx"); !strings.HasPrefix(got, over) || strings.Contains(got, "free") {
		t.Errorf("got %q", got)
	}
	s.state.Tokens.Max = 80
	if got := runs(t, UsageCommands(s), "/ctx"); !strings.Contains(got, "free                   40   50.0%") {
		t.Errorf("got %q", got)
	}
	s.models = []conversation.ModelUse{{Provider: "here", Model: "m", TokensIn: 3, TokensOut: 4, CostUSD: &cost}}
	got := runs(t, UsageCommands(s), "/stats")
	for _, want := range []string{"\nduration         1m30s\n", "\nmodel m of here  3 tokens in, 4 out, $0.0125\n", "\ntool Bash        1\n", "\nturns            2"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, which lacks %q", got, want)
		}
	}
}

// resumer is a session that can become others. It knows one by its name "other".
type resumer struct {
	current
	saved   Saved
	history []llm.Message
}

func (r *resumer) Saved() Saved            { return r.saved }
func (r *resumer) History() []llm.Message  { return r.history }
func (r *resumer) Plugins() []*host.Plugin { return nil }

func (r *resumer) Resume(_ context.Context, word string) (other bool, err error) {
	switch word {
	case r.saved.Title:
		return false, nil
	case "other":
		r.saved, r.history = Saved{ID: "2", Title: "other"}, make([]llm.Message, 4)
		return true, nil
	default:
		return false, errRefused
	}
}

func newResumer(t *testing.T) *resumer {
	t.Helper()
	at := state.Paths{Root: filepath.Join(t.TempDir(), "state")}
	return &resumer{
		current: current{
			setup:   &setup.Setup{Source: setup.Source{Config: &config.Config{Workdir: "dir", State: at}}},
			persona: conversation.Persona{Agent: "a"}, state: sdk.Context{ThinkMode: "low", Auto: true},
		},
		saved: Saved{ID: "1", Path: "dir/1.jsonl", Title: "first"},
	}
}

func TestResumeCommands(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"/resume":         "no sessions are saved",
		"/resume  first ": "this is session first already",
		"/resume other":   "this is session other now, with 4 messages; answers: agent a",
		"/resume nobody":  "error: refused",
	} {
		if got := runs(t, ResumeCommands(newResumer(t)), line); got != want {
			t.Errorf("%s: got %q", line, got)
		}
	}
}

func TestInfoCommands(t *testing.T) {
	t.Parallel()
	want := "answers            agent a\nauto mode          on\ndone mode          off\nplugins            0\nsaved in           dir/1.jsonl\n" +
		"session            first\nthinking           low\ntools              0\nworking directory  dir"
	if got := runs(t, InfoCommands(newResumer(t)), "/info"); got != want {
		t.Errorf("got %q", got)
	}
}

func TestCurrentCommands(t *testing.T) {
	t.Parallel()
	r := newResumer(t)
	for line, want := range map[string]string{
		"/skills": "no skills are configured",
		// The approvals of the project are stored in a file, and there is none.
		"/policy remove 1": "error: removing approval 1: there is none with this number; /policy lists them",
		"/policy remove x": "error: removing approval x: there is none with this number; /policy lists them",
		"/policy add":      `error: reading "add": /policy takes nothing, or remove and the number of an approval`,
	} {
		if got := runs(t, CurrentCommands(r), line); got != want {
			t.Errorf("%s: got %q", line, got)
		}
	}
	r.setup.Config.Skills = map[string]config.Skill{"dance": {Description: "How to\n dance"}}
	if got := runs(t, CurrentCommands(r), "/skills"); got != "dance  How to dance" {
		t.Errorf("got %q", got)
	}
}

func TestOtherCommands(t *testing.T) {
	t.Parallel()
	known := []command.Command{{Name: "greet", Hints: []string{"NAME", "[LOUD]"}, Description: "Say\n hello"}, {Name: "x", Description: "Do x"}}
	fails := func(context.Context) (string, error) { return "", errRefused }
	all := append(HelpCommands(func() []command.Command { return known }), ReloadCommands(fails)...)
	all = append(all, PluginCommands(func() []*host.Plugin { return nil })...)
	for line, want := range map[string]string{
		"/help":        "/greet <NAME> [LOUD]  Say hello\n/x                    Do x",
		"/help greet":  "/greet <NAME> [LOUD]  Say hello",
		"/help /greet": "/greet <NAME> [LOUD]  Say hello",
		"/help nobody": "error: looking for command /nobody: there is none; /help lists them",
		"/reload":      "error: refused",
		"/plugins":     "no plugin hooks are loaded",
		"/plugins x":   `error: describing plugin "x": it does not run in this session; /plugins lists those that do, and 'aura plugins' all`,
	} {
		if got := runs(t, all, line); got != want {
			t.Errorf("%s: got %q", line, got)
		}
	}
	if result, err := ExitCommands()[0].Run(t.Context(), ""); !result.Exit || err != nil {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestCustom(t *testing.T) {
	t.Parallel()
	got := Custom(&config.Config{Entities: config.Entities{
		Commands: map[string]config.Command{"b": {Name: "b", Body: "Review $ARGUMENTS"}, "a": {Name: "a", Body: "Nothing"}},
	}})
	if len(got) != 2 || got[0].Name != "a" || got[1].Source != command.SourceMarkdown {
		t.Fatalf("got %+v", got)
	}
	if result, err := got[1].Run(t.Context(), "it"); err != nil || !result.Forward || !strings.HasPrefix(result.Output, "Review it") {
		t.Errorf("got %+v, %v", result, err)
	}
}
