package app

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/policy"
)

func TestCommands(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		".aura/config/agents/main.md":   "---\nname: main\ndefault: true\ndescription: The usual one\n---\nBe brief.\n",
		".aura/config/agents/other.md":  "---\nname: other\n---\nBe different.\n",
		".aura/config/agents/hidden.md": "---\nname: hidden\nhide: true\n---\n",
		".aura/config/modes/plan.md":    "---\nname: plan\n---\nPlan for {{ .Vars.what }}.\n",
		".aura/skills/dance.md":         "---\nname: dance\ndescription: How to dance\n---\nLeft foot.\n",
		"list.yaml":                     "- /name first\n- /name second\n",
	}
	rows := []struct {
		name    string
		prompts []string
		// said and told are patterns of the answers and of the reported errors; empty for none.
		said, told string
	}{
		{"agents", []string{"/agent"}, `^main \(current\) +The usual one\nother\n$`, ""},
		{"another agent", []string{"/agent other"}, `^now using agent other, provider test, model talker\n$`, ""},
		{"an agent that is not there", []string{"/agent nobody"}, "", `known agents: hidden, main, other`},
		{"the round", []string{"/agent --next", "/agent --next"}, `agent other.*\n.*agent main`, ""},
		{"a mode that fails leaves everything", []string{"/mode plan", "/info"}, `answers +agent main, provider`, `what.*--set`},
		{"a mode", []string{"/set what=it", "/mode plan", "/mode none"}, `what is "it"\n.*mode plan.*\nnow using agent main, provider`, ""},
		{"a variable that breaks a prompt", []string{"/set what=it", "/mode plan", "/set"}, `what +it\n$`, ""},
		{"thinking", []string{"/think", "/think true", "/think"}, `thinking: off\nthinking: medium\nthinking: medium\n`, ""},
		{"no such amount", []string{"/think a lot"}, "", `use off, on, low`},
		{"model", []string{"/model", "/model best", "/model test/good"}, `model talker\n.*provider test, model best\n.*provider test, model good`, ""},
		{"skills", []string{"/skills"}, `^dance +How to dance\n$`, ""},
		{"policy", []string{"/policy"}, `^what no rule names runs without asking; there is no terminal`, ""},
		{"todo", []string{"/todo", "/todo clear", "/todo 1"}, `empty\.\nthe list of todos is empty now\n`, `takes nothing, or clear`},
		{"undo without a prompt", []string{"/undo"}, "", "there is none"},
		{"undo", []string{"go", "/undo", "/undo"}, `^undone: go \(and 3 messages after it\)\n$`, "there is none"},
		{"undo several", []string{"one", "two", "three", "/undo 2", "/undo 2", "/undo"}, `^undone: two \(and \d messages after it\)\nundone: one`, `taking back 2 prompts: there are 1`},
		{"undo what is no number", []string{"go", "/undo all", "/undo 0"}, "", `"all" is not how many, from 1 on(?s:.*)"0" is not`},
		{"clear", []string{"go", "/clear", "/ctx"}, `forgotten\n.* in 0 messages`, ""},
		{"context", []string{"go", "/ctx"}, `^\d+ of 8192 tokens \(\d+\.\d%, estimated\) in 4 messages\n\[ST+UA\.+\]\nS  system prompt `, ""},
		{"stats", []string{"go", "/stats"}, `(?s)interactions +1.*tokens in +30.*tokens out +10.*tool Bash +1.*turns +2`, ""},
		{"replay", []string{"/replay list.yaml"}, `named first\n.*named second`, ""},
		{"replay what is not there", []string{"/replay nothing"}, "", `replaying: .*nothing`},
		{"exit", []string{"/exit", "/name never"}, "", ""},
		{"assert", []string{`/assert exists:list.yaml "/name a" "/name b"`}, `named a\n.*named b`, ""},
		{"assert, in vain", []string{`/assert exists:nothing "/name a"`}, `^not run, because this does not hold: exists:nothing\n$`, ""},
		{"exit within", []string{`/assert exists:list.yaml "/exit" "/name a"`, "/name b"}, "", ""},
		{"until", []string{`/until --max 2 exists:nothing "/name a"`}, `named a\n.*named a\n$`, `2 rounds are over`},
		{"unknown", []string{"/nam"}, "", `/name`},
		{"help", []string{"/help name", "/help nobody"}, `^/name \[TITLE\] +Name`, `there is none`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, files)
			got := p.run(t.Context(), row.prompts...)
			if got.err != nil {
				t.Errorf("it failed: %v", got.err)
			}
			check(t, "said", got.said(), row.said)
			check(t, "told", strings.TrimSpace(got.told()), row.told)
		})
	}
}

// check compares a text with a pattern; an empty pattern matches only an empty text.
func check(t *testing.T, what, got, pattern string) {
	t.Helper()
	if pattern == "" && got != "" || !regexp.MustCompile(pattern).MatchString(got) {
		t.Errorf("%s: got %q, want %q", what, got, pattern)
	}
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name   string
		answer func(context.Context, policy.Question) (policy.Answer, error)
		runs   bool
		told   string
	}{
		{"yes", func(context.Context, policy.Question) (policy.Answer, error) {
			return policy.Answer{Decision: policy.Once}, nil
		}, true, ""},
		{"no with a reason", func(context.Context, policy.Question) (policy.Answer, error) {
			return policy.Answer{Reason: "use make"}, nil
		}, false, "the user said no: use make"},
		{"no", func(context.Context, policy.Question) (policy.Answer, error) {
			return policy.Answer{Decision: policy.Reject}, nil
		}, false, "the user said no"},
		{"no answer", func(context.Context, policy.Question) (policy.Answer, error) {
			return policy.Answer{Decision: policy.Once}, errors.New("gone")
		}, false, "gone"},
		{"nobody", nil, false, "no terminal"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, map[string]string{".aura/config/features/tools.yaml": "tools: {policy: {confirm: ['Bash:touch*']}}\n"})
			var asked []policy.Question
			if row.answer != nil {
				p.confirm = func(ctx context.Context, q policy.Question) (policy.Answer, error) {
					asked = append(asked, q)
					return row.answer(ctx, q)
				}
			}
			got := p.run(t.Context(), "go")
			if got.err != nil || p.has("made") != row.runs {
				t.Errorf("ran %v, %v", p.has("made"), got.err)
			}
			check(t, "told", strings.TrimSpace(got.told()), row.told)
			if row.answer == nil {
				return
			}
			want := "Bash map[command:touch made], Bash:touch* of features (.aura/config/features/tools.yaml), Bash:touch made: this exact command"
			if len(asked) != 1 {
				t.Fatalf("asked %+v", asked)
			}
			q := asked[0]
			if got := fmt.Sprintf("%s %v, %s of %s, %s: %s", q.Tool, q.Args, q.Rule, q.By, q.Pattern, q.Covers); got != want {
				t.Errorf("asked %s, want %s", got, want)
			}
		})
	}
}

func TestRunReturnsTheFirstFailure(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{".aura/config/talk.yaml": "turns:\n  - error: {type: auth, message: no key}\n  - text: Fine.\n"})
	got := p.run(t.Context(), "one", "two")
	if e, ok := errors.AsType[*llm.Error](got.err); !ok || e.Message != "no key" {
		t.Errorf("got %v", got.err)
	}
	if last := got.history[len(got.history)-1]; last.Content != "Fine." {
		t.Errorf("the second prompt was answered with %q", last.Content)
	}
	p = newPlace(t, nil)
	p.o.MaxSteps = 1
	if got := p.run(t.Context(), "one", "two"); !errors.Is(got.err, conversation.ErrStepLimit) {
		t.Errorf("got %v", got.err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p = newPlace(t, map[string]string{".aura/config/features/tools.yaml": "tools: {policy: {confirm: [Bash]}}\n"})
	p.confirm = func(ctx context.Context, _ policy.Question) (policy.Answer, error) {
		cancel()
		<-ctx.Done()
		return policy.Answer{Decision: policy.Once}, ctx.Err()
	}
	if got := p.run(ctx, "one", "/name never"); !errors.Is(got.err, context.Canceled) || got.said() != "" || p.has("made") {
		t.Errorf("got %v, %q", got.err, got.said())
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name  string
		files map[string]string
		set   func(*Options)
		want  string
	}{
		{"no such agent", nil, func(o *Options) { o.Agent = "x" }, `choosing agent "x".*known agents: none`},
		{"no such mode", nil, func(o *Options) { o.Mode = "x" }, `choosing mode "x".*known modes: ask, auto, edit, plan`},
		{"no such provider", nil, func(o *Options) { o.Provider = "x" }, `choosing provider "x".*known providers: test`},
		{"no such prompt", nil, func(o *Options) { o.System = "x" }, `choosing prompt "x".*known prompts: none`},
		{"no such session", nil, func(o *Options) { o.Resume = "x" }, `no session has such an id, name or title`},
		{"no session", nil, func(o *Options) { o.Continue = true }, `there is none yet`},
		{"several providers", map[string]string{".aura/config/providers/b.yaml": "b: {type: script}\n"}, func(*Options) {}, `there are several: b, test`},
		{"a script that is not there", map[string]string{".aura/config/providers/test.yaml": "test: {type: script, file: nothing.yaml}\n"}, func(*Options) {}, `nothing\.yaml`},
		{
			"a prompt that is wrong",
			map[string]string{".aura/config/agents/a.md": "---\nname: a\n---\n{{ .Nope }}\n"},
			func(o *Options) { o.Agent = "a" }, `Nope.*known: \.Agent`,
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, row.files)
			row.set(&p.o)
			got := p.run(t.Context(), "never")
			if got.err == nil {
				t.Fatal("it opened")
			}
			check(t, "error", got.err.Error(), row.want)
		})
	}
}
