//go:build linux

package screen

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"

	acp "github.com/coder/acp-go-sdk"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// newHostStory returns a project in which tools reach no host without a question.
func newHostStory(t *testing.T, turns string) *harness.Project {
	t.Helper()
	if harness.Bare() {
		testneed.Missing(t, testneed.Namespaces, "rules for the network need them")
	}
	p := newStory(t, turns)
	p.Write(".aura/config/sandbox/sandbox.yaml", "sandbox: {network: {ask: true}}\n")
	return p
}

// connecting are turns with two calls that connect to the same host, which does not exist: the first one twice.
const connecting = "  - tool_calls: [{name: Bash, arguments: {command: 'for i in 1 2; do exec 3<>/dev/tcp/ask.invalid/80; cat <&3 2>/dev/null; done; true'}}]\n" +
	"  - tool_calls: [{name: Bash, arguments: {command: 'exec 3<>/dev/tcp/ask.invalid/80; cat <&3 2>/dev/null; true'}}]\n" +
	"  - text: That is all.\n"

// hostQuestion matches the question on a terminal without a screen.
const hostQuestion = `\? connect to ask\.invalid:80\r\n  for Bash: for i in[^\n]*\r\n[\s\S]*?allow it\? [^\n]*: `

// hostUsers are the front ends in which a user answers. Each runs one session and gives the first question an answer. If again is set, the
// user is asked about the second call, and says no.
var hostUsers = map[string]func(p *harness.Project, answer string, again bool){
	"terminal": func(p *harness.Project, answer string, again bool) {
		typed := map[string]string{"once": "y\n", "session": "s\n", "always": "a\n", "no": "\n", "reason": "n use the mirror\n", "outside": "o\n"}[answer]
		d := talk(p, "", "", "run", "go")
		d.answer(hostQuestion, typed)
		if again {
			d.answer(`\? connect to ask\.invalid:80\r\n[\s\S]*?allow it\? [^\n]*: `, "n\n")
		}
		d.end(`That is all`)
	},
	"screen": func(p *harness.Project, answer string, again bool) {
		s := interactive(p, "Go")
		s.shows(`connect to ask\.invalid:80\n  for Bash: for i in`, hostArmed)
		s.send(map[string]string{"once": "y", "session": "s", "always": "a", "no": "n", "reason": "r", "outside": "o"}[answer])
		switch answer {
		case "session", "always":
			s.shows(`^Pattern`)
			s.send(enter)
		case "reason":
			s.shows(`^Reason`)
			s.send("use the mirror" + enter)
		}
		if again {
			s.shows(`connect to ask\.invalid:80\n  for Bash: exec`, hostArmed)
			s.send("n")
		}
		s.shows(`^That is all`)
		s.send(ctrlD)
		s.end()
	},
	"plain": func(p *harness.Project, answer string, again bool) {
		s := interactive(p, "--plain", "Go")
		s.shows(`connect to ask\.invalid:80`, `Answer 1-6:$`)
		s.send(map[string]string{"once": "1", "session": "2", "always": "3", "outside": "4", "no": "5", "reason": "6"}[answer] + enter)
		switch answer {
		case "session", "always":
			s.shows(`^Pattern[^\n]*: ?$`)
			s.send(enter)
		case "reason":
			s.shows(`^Reason[^\n]*: ?$`)
			s.send("use the mirror" + enter)
		}
		if again {
			s.shows(`for Bash: exec[\s\S]*Answer 1-6:$`)
			s.send("5" + enter)
		}
		s.shows(`That is all[\s\S]*You:$`)
		s.send(ctrlD)
		s.end()
	},
	"editor": func(p *harness.Project, answer string, again bool) {
		e := p.Edit()
		answers := []string{map[string]string{"once": "once", "session": "session", "always": "always", "no": "reject", "reason": "", "outside": "outside"}[answer]}
		if again {
			answers = append(answers, "reject")
		}
		e.Permit = func(_ context.Context, r acp.RequestPermissionRequest) string {
			shown, err := json.Marshal(r)
			if err != nil || len(r.Options) != 5 || !strings.Contains(string(shown), "connect to ask.invalid:80") || len(answers) == 0 {
				e.T.Errorf("asked %s, %v", shown, err)
				return ""
			}
			first := answers[0]
			answers = answers[1:]
			return first
		}
		id := e.Open()
		if stop := e.Prompt(id, "go"); stop != acp.StopReasonEndTurn || len(answers) > 0 {
			e.T.Errorf("it stopped because of %s; the user was not asked for %q", stop, answers)
		}
		e.Quit()
	},
}

// connectScript connects to the host of its argument.
const connectScript = "exec 3<>/dev/tcp/$1/80; cat <&3 2>/dev/null; echo over\n"

// hostArmed matches a question about a host that can be answered.
const hostArmed = `^Allow it\?  \[y\] once`

// said returns the output of an aura command.
func said(p *harness.Project, args ...string) string {
	p.T.Helper()
	out, err := p.Command(args...).Output()
	p.Check(err)
	return string(out)
}

// verdicts returns what became of the connections of the last session.
func verdicts(p *harness.Project) []string {
	p.T.Helper()
	var log []struct{ Verdict, Rule string }
	p.Check(json.Unmarshal([]byte(said(p, "sandbox", "log", "--json")), &log))
	var out []string
	for _, l := range log {
		out = append(out, l.Verdict)
	}
	return out
}

// TestHostAnswers gives each of the answers to the question about a host, in each front end. Several connections are one question. A
// connection that was allowed fails, because there is no such host. What is approved for good counts in the next session, where nobody can be
// asked, until it is removed.
func TestHostAnswers(t *testing.T) {
	t.Parallel()
	const failed, refused = "failed", "refused"
	answers := map[string]struct {
		// first and second are what becomes of the connections of the two calls. again is whether the second one is a question.
		first, second string
		again, kept   bool
		// model is what the model reads about the first call.
		model string
	}{
		"once":    {failed, refused, true, false, "the network rules allow ask.invalid:80, but it cannot be reached: looking up ask.invalid"},
		"session": {failed, failed, false, false, "looking up ask.invalid"},
		"always":  {failed, failed, false, true, "looking up ask.invalid"},
		"no":      {refused, refused, false, false, "refuse ask.invalid:80 (the user said no)"},
		"reason":  {refused, refused, false, false, "refuse ask.invalid:80 (the user said no: use the mirror)"},
		"outside": {refused, refused, true, false, "the user let this call run outside of the sandbox. The call was stopped and then run again"},
	}
	for user, tell := range hostUsers {
		for answer, want := range answers {
			t.Run(user+" "+answer, func(t *testing.T) {
				t.Parallel()
				p := newHostStory(t, connecting)
				tell(p, answer, want.again)
				connections := []string{want.first, want.first, want.second}
				if answer == "outside" {
					connections = connections[1:] // the rules do not see what runs outside
				}
				if got := verdicts(p); !slices.Equal(got, connections) {
					t.Errorf("the connections are %q", got)
				}
				if model := p.Saved().Messages[2].Content; !strings.Contains(model, want.model) && (user != "editor" || answer != "reason") {
					t.Errorf("the model was given %q, want %q in it", model, want.model)
				}
				if kept := strings.Contains(said(p, "approvals"), "sandbox.network:ask.invalid:80"); kept != want.kept {
					t.Errorf("the approval is kept: %v", kept)
				}
				next := func(want string) {
					t.Helper()
					said(p, "run", "go")
					if got := verdicts(p); !slices.Equal(got, []string{want, want, want}) {
						t.Errorf("without a terminal, the connections are %q, want %s", got, want)
					}
				}
				if want.kept {
					next(failed)
					said(p, "approvals", "rm", "1")
				}
				next(refused)
				p.NoTrace()
			})
		}
	}
}

// TestInteractiveHost shows the question about a host, refuses it with a reason, goes back from an approval, and interrupts a question.
func TestInteractiveHost(t *testing.T) {
	t.Parallel()
	g := newGolden(t, "host")
	call := func(host string) string {
		return "  - tool_calls: [{name: Bash, arguments: {command: bash connect " + host + "}}]\n"
	}
	p := newHostStory(t, call("one.invalid")+call("two.invalid")+call("three.invalid")+"  - text: All done.\n")
	p.Write("connect", connectScript)
	s := interactive(p, "Go")
	g.looks(s, "asked", `connect to one`, hostArmed)
	s.send("r")
	g.looks(s, "reason", `^Reason for the model`)
	s.send("use the mirror" + enter)
	g.looks(s, "refused", `connect to two`, hostArmed)
	s.send("a")
	g.looks(s, "pattern", `^Pattern to approve always`)
	s.send(escape)
	g.looks(s, "back", `connect to two`, hostArmed)
	s.send(ctrlC)
	g.looks(s, "interrupted", `the user stopped it`)
	s.send("Go on" + enter)
	g.looks(s, "goes on", `connect to three`, hostArmed)
	s.send("n")
	g.looks(s, "done", `^All done`)
	s.send(ctrlD)
	s.end()
	if log := said(p, "approvals"); strings.Contains(log, "invalid") {
		t.Errorf("approvals: %s", log)
	}
	p.NoTrace()
}

// TestHostTypedAhead types 10,000 random keys without pauses while aura asks about hosts. None of them decides a question.
func TestHostTypedAhead(t *testing.T) {
	t.Parallel()
	for _, screens := range []struct {
		name string
		args []string
		// started matches the screen when keys are read, and ready when a question can be answered.
		started, ready, no, answer string
	}{
		{"screen", []string{"Go"}, `─`, hostArmed, "n", "→ no"},
		{"plain", []string{"--plain", "Go"}, ``, `Answer 1-6:$`, "5\n", "said no"},
	} {
		t.Run(screens.name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(7, 8)) //nolint:gosec // the keys need no secrecy
			var turns strings.Builder
			for n := range 2000 {
				fmt.Fprintf(&turns, "  - tool_calls: [{name: Bash, arguments: {command: 'exec 3<>/dev/tcp/h%d.invalid/80; cat <&3 2>/dev/null; true'}}]\n", n)
			}
			p := newHostStory(t, turns.String()+"  - text: That is all.\n")
			s := interactive(p, screens.args...)
			s.shows(screens.started)
			for range bursts {
				s.send(randomKeys(random, typedKeys/bursts))
				s.send("x" + enter) // an interrupted turn waits for the next prompt
				s.shows(screens.ready)
				before := bytes.Count(s.received(), []byte(screens.answer))
				s.send(screens.no)
				s.Until("the answer", func() bool { return bytes.Count(s.received(), []byte(screens.answer)) > before })
			}
			s.quit()
			verdicts := verdicts(p)
			if len(verdicts) < bursts || slices.ContainsFunc(verdicts, func(v string) bool { return v != "refused" }) {
				t.Errorf("the connections are %q", verdicts)
			}
			if kept := said(p, "approvals"); strings.Contains(kept, "invalid") {
				t.Errorf("approvals: %s", kept)
			}
			p.NoTrace()
		})
	}
}

// TestHostNotified observes with hooks that the user is asked about a host. No hook answers that question, and a hook that connects itself
// does not run again for that.
func TestHostNotified(t *testing.T) {
	t.Parallel()
	p := newHostStory(t, "  - tool_calls: [{name: Bash, arguments: {command: 'exec 3<>/dev/tcp/ask.invalid/80; cat <&3 2>/dev/null; true'}}]\n"+
		"  - tool_calls: [{name: Bash, arguments: {command: 'while ! test -e over; do sleep 0.02; done'}}]\n  - text: That is all.\n")
	p.Write(".aura/config/hooks/hooks.yaml", "tell: {event: notification, command: 'cat >>told; echo >>told; bash connect hook.invalid; touch over'}\n"+
		`yes: {event: approval, command: 'echo "{\"decision\": \"allow\"}"'}`+"\n")
	p.Write("connect", connectScript)
	d := talk(p, "", "", "run", "go")
	d.expect(`\? connect to ask\.invalid:80\r\n[\s\S]*?allow it\? [^\n]*: `)
	p.Await("told", `"message":"aura asks whether to connect to ask.invalid:80 for Bash: exec`)
	d.answer(``, "n\n")
	d.answer(`\? connect to hook\.invalid:80\r\n  for hook tell\r\n[\s\S]*?allow it\? [^\n]*: `, "n\n")
	d.end(`That is all`)
	if told := p.Read("told"); bytes.Count(told, []byte("message")) != 1 || !bytes.Contains(told, []byte(`"kind":"approval"`)) {
		t.Errorf("the hook got %s", told)
	}
	if got := verdicts(p); slices.Contains(got, "failed") {
		t.Errorf("the connections are %q", got)
	}
}

// TestHostFlood connects to many hosts in one call. The user is asked about some of them, and the result says why the others are refused.
func TestHostFlood(t *testing.T) {
	t.Parallel()
	p := newHostStory(t, "  - tool_calls: [{name: Bash, arguments: {command: 'for i in $(seq 40); do bash connect h$i.invalid; done'}}]\n  - text: That is all.\n")
	p.Write("connect", connectScript)
	e := p.Edit()
	asked := 0
	e.Permit = func(context.Context, acp.RequestPermissionRequest) string {
		asked++
		return "reject"
	}
	e.Prompt(e.Open(), "go")
	e.Quit()
	result := p.Saved().Messages[2].Content
	if asked != 16 || !strings.Contains(result, "refuse h40.invalid:80 (ask: no rule names h40.invalid:80, and the user was asked about 16 hosts already") {
		t.Errorf("asked %d times; the result is %s", asked, result)
	}
}
