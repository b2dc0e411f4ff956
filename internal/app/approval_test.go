package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/app/frontend"
)

// always is a front end that answers Session, and records for each call whether it was asked.
type always struct {
	asked bool
	asks  []bool
}

func (f *always) Event(e event.Event) {
	if _, ok := e.(event.ToolCall); ok {
		f.asks = append(f.asks, f.asked)
		f.asked = false
	}
}

func (f *always) Ask(_ context.Context, q policy.Question) (policy.Answer, error) {
	f.asked = true
	return policy.Answer{Decision: policy.Session, Pattern: q.Pattern}, nil
}

// TestAlways checks what the answer Session covers: for each call, whether the user is asked.
func TestAlways(t *testing.T) {
	t.Parallel()
	bash := func(command string) string { return "{name: Bash, arguments: {command: '" + command + "'}}" }
	write := func(path string) string { return "{name: Write, arguments: {path: " + path + ", content: x}}" }
	patch := func(paths ...string) string {
		text := "*** Begin Patch\\n"
		for _, path := range paths {
			text += "*** Add File: " + path + "\\n+x\\n"
		}
		return `{name: Patch, arguments: {patch: "` + text + `*** End Patch"}}`
	}
	for name, row := range map[string]struct {
		rules string
		calls []string
		asks  []bool
	}{
		"the same command":  {"confirm: ['Bash:touch *']", []string{bash("touch a"), bash("touch a")}, []bool{true, false}},
		"another command":   {"confirm: ['Bash:touch *']", []string{bash("touch a"), bash("touch a b")}, []bool{true, true}},
		"a longer line":     {"confirm: ['Bash:touch *']", []string{bash("touch a"), bash("touch a; touch b")}, []bool{true, true}},
		"a denied one":      {"confirm: ['Bash:touch *'], deny: ['Bash:*evil*']", []string{bash("touch a"), bash("touch evil")}, []bool{true, false}},
		"the directory":     {"confirm: [Write]", []string{write("a/x"), write("a/y"), write("./a/../a/z")}, []bool{true, false, false}},
		"below it":          {"confirm: [Write]", []string{write("a/x"), write("a/b/y")}, []bool{true, true}},
		"above it":          {"confirm: [Write]", []string{write("a/x"), write("y")}, []bool{true, true}},
		"a link to nothing": {"confirm: [Write]", []string{write("here"), write("dangling"), write("there")}, []bool{true, true, false}},
		"a link out of it":  {"confirm: [Write]", []string{write("here"), write("link/x"), write("there")}, []bool{true, true, false}},
		"denied in it":      {"confirm: [Write], deny: ['Write:*.env']", []string{write("a/x"), write("a/b.env")}, []bool{true, false}},
		"another tool":      {"confirm: [Write, Patch]", []string{write("a/x"), patch("a/y")}, []bool{true, true}},
		"two directories":   {"confirm: [Patch]", []string{patch("a/x", "b/x"), patch("a/y"), patch("b/y", "c/y")}, []bool{true, false, true}},
		"the same argument": {"confirm: [Ls]", []string{"{name: Ls, arguments: {path: .}}", "{name: Ls, arguments: {path: .}}", "{name: Ls, arguments: {}}"}, []bool{true, false, true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, map[string]string{
				".aura/config/features/tools.yaml": "tools: {policy: {" + row.rules + "}}\n",
				".aura/config/talk.yaml":           "turns:\n  - tool_calls: [" + strings.Join(row.calls, ", ") + "]\n  - text: Done.\n",
				"elsewhere/x":                      "x",
			})
			for link, target := range map[string]string{"link": "elsewhere", "dangling": "elsewhere/nothing"} {
				if err := os.Symlink(target, filepath.Join(p.dir, link)); err != nil {
					t.Fatal(err)
				}
			}
			front := &always{}
			session, err := Open(t.Context(), p.o, front)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(frontend.Run(t.Context(), session, []string{"go"}), session.Close(ReasonOf(t.Context(), nil))); err != nil {
				t.Error(err)
			}
			if !slices.Equal(front.asks, row.asks) {
				t.Errorf("asked %v, want %v", front.asks, row.asks)
			}
		})
	}
}

// answers returns a function that gives the same answer to every question, with the pattern of the question unless it has one,
// and counts the questions.
func answers(count *int, given policy.Answer) func(context.Context, policy.Question) (policy.Answer, error) {
	return func(_ context.Context, q policy.Question) (policy.Answer, error) {
		*count++
		out := given
		if out.Pattern == "" {
			out.Pattern = q.Pattern
		}
		return out, nil
	}
}

// TestKept checks that the answer Always holds in later sessions of the project, also without a user to ask, until the user
// removes it; and what does not count as such an approval.
func TestKept(t *testing.T) {
	t.Parallel()
	const rules = ".aura/config/features/tools.yaml"
	talk := "turns:\n  - tool_calls: [{name: Bash, arguments: {command: touch made}}]\n  - text: Done.\n"
	p := newPlace(t, map[string]string{rules: "tools: {policy: {confirm: ['Bash:touch *']}}\n", ".aura/config/talk.yaml": talk})
	asked := 0
	session := func(confirm bool, prompts ...string) outcome {
		p.confirm = nil
		if confirm {
			p.confirm = answers(&asked, policy.Answer{Decision: policy.Always, Pattern: "Bash:touch *"})
		}
		out := p.run(t.Context(), prompts...)
		if out.err != nil {
			t.Error(out.err)
		}
		return out
	}
	ran := func() bool {
		made := p.has("made")
		if err := os.RemoveAll(filepath.Join(p.dir, "made")); err != nil {
			t.Error(err)
		}
		return made
	}
	first := session(true, "go")
	if !ran() || asked != 1 {
		t.Fatalf("the first session asked %d times: %s", asked, first.told())
	}
	var said event.Approval
	for _, e := range first.events {
		if e, ok := e.(event.Approval); ok {
			said = e
		}
	}
	if said.Decision != "always" || said.Pattern != "Bash:touch *" || said.Rule != "Bash:touch *" || said.Name != "Bash" || string(said.Arguments) != `{"command":"touch made"}` {
		t.Errorf("the event is %+v", said)
	}
	if session(true, "go"); !ran() || asked != 1 {
		t.Errorf("the second session asked")
	}
	if session(false, "go"); !ran() {
		t.Errorf("a session without a user did not run the call")
	}
	p.write(rules, "tools: {policy: {confirm: ['Bash:touch *'], deny: ['Bash:touch made']}}\n")
	if session(false, "go"); ran() {
		t.Error("an approval lifted a deny rule")
	}
	p.write(rules, "tools: {policy: {confirm: ['Bash:touch*']}}\n")
	if session(false, "go"); ran() {
		t.Error("an approval lifted a rule that it was not given for")
	}
	p.write(rules, "tools: {policy: {confirm: ['Bash:touch *']}}\n")
	listed := session(false, "/policy", "/policy remove 2", "/policy remove x", "/policy forget")
	check(t, "said", listed.said(), `approved in this project, until you remove it with /policy remove N:\n  1  Bash:touch \*  \(lifts rule Bash:touch \*, since \d{4}-\d\d-\d\d\)`)
	check(t, "told", listed.told(), `approval 2: there is none[\s\S]*approval x: there is none[\s\S]*"forget": /policy takes`)
	check(t, "said", session(false, "/policy remove 1").said(), `^removed the approval of Bash:touch \*\n$`)
	if session(false, "go"); ran() {
		t.Error("a removed approval counts")
	}

	elsewhere := newPlace(t, map[string]string{rules: "tools: {policy: {confirm: ['Bash:touch *']}}\n", ".aura/config/talk.yaml": talk})
	session(true, "go")
	elsewhere.o.Config.Environ = p.o.Config.Environ
	if elsewhere.run(t.Context(), "go"); elsewhere.has("made") {
		t.Error("an approval holds in another project")
	}
}

// TestApprovalsOfASession checks that /policy lists and removes them, and that they end with the session.
func TestApprovalsOfASession(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		".aura/config/features/tools.yaml": "tools: {policy: {confirm: [Bash]}}\n",
		".aura/config/talk.yaml": "turns:\n  - tool_calls: [{name: Bash, arguments: {command: touch made}}]\n  - text: One.\n" +
			"  - tool_calls: [{name: Bash, arguments: {command: touch made}}]\n  - text: Two.\n" +
			"  - tool_calls: [{name: Bash, arguments: {command: touch made}}]\n  - text: Three.\n",
	})
	asked := 0
	p.confirm = answers(&asked, policy.Answer{Decision: policy.Session})
	out := p.run(t.Context(), "one", "/policy", "two", "/policy remove 1", "three")
	check(t, "said", out.said(), `approved until the session ends:\n  1  Bash:touch made  \(lifts rule Bash\)\n[\s\S]*removed the approval of Bash:touch made\n$`)
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
	if p.run(t.Context(), "one"); asked != 3 {
		t.Errorf("an approval outlived its session")
	}
}

// TestAnswers checks what an answer does beside letting the call run or not.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		answer policy.Answer
		damage string
		runs   bool
		told   string
	}{
		"no":                    {policy.Answer{}, "", false, "^the call did not run: the user said no\n"},
		"no with a reason":      {policy.Answer{Reason: "use make"}, "", false, "^the call did not run: the user said no: use make\n"},
		"a pattern too narrow":  {policy.Answer{Decision: policy.Session, Pattern: "Bash:ls *"}, "", false, `approving calls like "Bash:ls \*": the pattern does not cover this call`},
		"a malformed pattern":   {policy.Answer{Decision: policy.Always, Pattern: "Bash:"}, "", false, "says nothing after the colon"},
		"a pattern with secret": {policy.Answer{Decision: policy.Always, Pattern: "Bash:touch made s3cret-value"}, "", true, "contains a secret.*; the approval holds for this session"},
		"a damaged store":       {policy.Answer{Decision: policy.Always}, "x", true, "damaged[\\s\\S]*; the approval holds for this session"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := "touch made"
			if strings.Contains(row.answer.Pattern, "s3cret") {
				command += " s3cret-value"
			}
			p := newPlace(t, map[string]string{
				".aura/config/features/tools.yaml": "tools: {policy: {confirm: [Bash]}}\n",
				".aura/config/talk.yaml":           "turns:\n  - tool_calls: [{name: Bash, arguments: {command: '" + command + "'}}]\n  - text: Done.\n",
			})
			p.o.Config.Environ = append(p.o.Config.Environ, "SOME_TOKEN=s3cret-value")
			asked := 0
			p.confirm = func(ctx context.Context, q policy.Question) (policy.Answer, error) {
				if row.damage != "" {
					found, err := filepath.Glob(filepath.Join(strings.TrimPrefix(p.o.Config.Environ[0], "XDG_STATE_HOME="), "aura", "projects", "*"))
					if err != nil || len(found) != 1 {
						t.Fatal(found, err)
					}
					if err := os.WriteFile(filepath.Join(found[0], "approvals.json"), []byte(row.damage), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				return answers(&asked, row.answer)(ctx, q)
			}
			out := p.run(t.Context(), "go")
			if out.err != nil || p.has("made") != row.runs {
				t.Errorf("ran %v, %v", p.has("made"), out.err)
			}
			check(t, "told", out.told(), row.told)
			if last := out.history[len(out.history)-1]; last.Content != "Done." {
				t.Errorf("the turn ended with %q", last.Content)
			}
			if row.answer.Reason != "" && !strings.Contains(out.history[2].Content, row.answer.Reason) {
				t.Errorf("the model got %q", out.history[2].Content)
			}
		})
	}
}

// TestChanges checks that the question about an edit says what would change.
func TestChanges(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		".aura/config/features/tools.yaml": "tools: {policy: {confirm: [Write]}}\n",
		".aura/config/talk.yaml":           "turns:\n  - tool_calls: [{name: Write, arguments: {path: a.txt, content: \"two\\n\"}}]\n  - text: Done.\n",
		"a.txt":                            "one\n",
	})
	changes := ""
	p.confirm = func(_ context.Context, q policy.Question) (policy.Answer, error) {
		changes = q.Changes
		return policy.Answer{}, nil
	}
	if out := p.run(t.Context(), "go"); out.err != nil || changes != "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n" {
		t.Errorf("got %q, %v", changes, out.err)
	}
}

// TestHooksAtQuestions checks that a hook can answer instead of the user, that the user is asked if it does not, and that a notification
// comes with the question.
func TestHooksAtQuestions(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		answer       string
		asked        int
		runs, notify bool
		told         string
	}{
		"allow":    {`echo '{"decision": "allow", "reason": "fine"}'`, 0, true, false, "^\n$"},
		"deny":     {`echo '{"decision": "deny", "reason": "no"}'`, 0, false, false, "decided by hook answer: no"},
		"nothing":  {"true", 1, true, true, "^\n$"},
		"a fault":  {"exit 3", 1, true, true, "ended with status 3"},
		"too late": {"while :; do :; done", 1, true, true, "was stopped after its timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeout := "300" // whatever the load of the machine
			if name == "too late" {
				timeout = "1"
			}
			p := newPlace(t, map[string]string{
				".aura/config/features/tools.yaml": "tools: {policy: {confirm: [Bash]}}\n",
				".aura/config/hooks/h.yaml": "answer:\n  event: approval\n  timeout: " + timeout + "\n  command: |\n    " + row.answer +
					"\nnote: {event: notification, matcher: approval, timeout: 300, command: touch noted}\n",
			})
			asked := 0
			p.confirm = answers(&asked, policy.Answer{Decision: policy.Once})
			out := p.run(t.Context(), "go")
			if out.err != nil || asked != row.asked || p.has("made") != row.runs || p.has("noted") != row.notify {
				t.Errorf("asked %d times, ran %v, noted %v, %v", asked, p.has("made"), p.has("noted"), out.err)
			}
			check(t, "told", out.told(), row.told)
		})
	}
}
