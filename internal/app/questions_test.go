package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// desk returns the questions of a session without a session, and what they tell.
func desk() (q *questions, told func() []string) {
	var mu sync.Mutex
	var texts []string
	var secrets redact.Current
	secrets.Set(redact.New("hunter2-hunter2"))
	q = newQuestions(&secrets, (&activity{}).waits, func(text string) {
		mu.Lock()
		defer mu.Unlock()
		texts = append(texts, text)
	})
	return q, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(texts)
	}
}

// TestQuestions has a row for each answer to a question: by the front end, by another process, by both, and too late.
func TestQuestions(t *testing.T) {
	t.Parallel()
	call := policy.Question{Tool: "Bash", Args: map[string]any{"command": "echo hi"}, Rule: "Bash", By: "features", Pattern: "Bash:echo hi", Covers: "this exact command"}
	bare, host, path, plan := call, call, call, policy.Question{Tool: "Plan", Text: "do it", Options: []policy.Option{{Value: "edit", Title: "yes, mode edit"}}}
	bare.Pattern, bare.Covers = "", ""
	host.Access = &policy.Access{What: "connect to example.org:443", Grant: true}
	host.About.Host = "example.org:443"
	path.Access = &policy.Access{What: "read /x", Outside: true}
	never := errors.New("nobody is there")
	rows := map[string]struct {
		question policy.Question
		// outside is what another process answers while the front end asks; empty for nothing. refused is why that does not count.
		outside, refused string
		// inside is what the front end returns; nil if it waits until the question is withdrawn.
		inside *policy.Answer
		err    error
		want   policy.Answer
		kind   session.QuestionKind
		values string
	}{
		"the front end":             {question: call, inside: &policy.Answer{Decision: policy.Once}, want: policy.Answer{Decision: policy.Once}, kind: session.QuestionCall, values: "once session always no"},
		"another process: once":     {question: call, outside: "once", want: policy.Answer{Decision: policy.Once, Via: "aura web"}, kind: session.QuestionCall, values: "once session always no"},
		"another process: session":  {question: call, outside: "session", want: policy.Answer{Decision: policy.Session, Pattern: "Bash:echo hi", Via: "aura web"}, kind: session.QuestionCall, values: "once session always no"},
		"another process: always":   {question: call, outside: "always", want: policy.Answer{Decision: policy.Always, Pattern: "Bash:echo hi", Via: "aura web"}, kind: session.QuestionCall, values: "once session always no"},
		"another process: no":       {question: call, outside: "no", want: policy.Answer{Via: "aura web"}, kind: session.QuestionCall, values: "once session always no"},
		"another process was first": {question: call, outside: "no", inside: &policy.Answer{Decision: policy.Always}, want: policy.Answer{Via: "aura web"}, kind: session.QuestionCall, values: "once session always no"},
		"not offered: outside":      {question: call, outside: "outside", refused: `the question has no answer "outside"`, inside: &policy.Answer{}, kind: session.QuestionCall, values: "once session always no"},
		"not offered: session":      {question: bare, outside: "session", refused: `the question has no answer "session"`, inside: &policy.Answer{}, kind: session.QuestionCall, values: "once no"},
		"no answer":                 {question: call, outside: "1", refused: `the question has no answer "1"`, inside: &policy.Answer{}, kind: session.QuestionCall, values: "once session always no"},
		"a host":                    {question: host, outside: "once", want: policy.Answer{Decision: policy.Once, Via: "aura web"}, kind: session.QuestionNetwork, values: "once session always no"},
		"a path":                    {question: path, outside: "outside", want: policy.Answer{Decision: policy.Outside, Via: "aura web"}, kind: session.QuestionPath, values: "outside no"},
		"a path that is not given":  {question: path, outside: "once", refused: `the question has no answer "once"`, inside: &policy.Answer{}, kind: session.QuestionPath, values: "outside no"},
		"a plan":                    {question: plan, outside: "1", want: policy.Answer{Decision: policy.Once, Option: "edit", Via: "aura web"}, kind: session.QuestionPlan, values: "1 no"},
		"no to a plan":              {question: plan, outside: "no", want: policy.Answer{Via: "aura web"}, kind: session.QuestionPlan, values: "1 no"},
		"a front end that fails":    {question: call, err: never, kind: session.QuestionCall, values: "once session always no"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q, told := desk()
			var id string
			answer, err := q.asking(func(ctx context.Context, _ policy.Question) (policy.Answer, error) {
				open := q.list()
				if len(open) != 1 {
					t.Fatalf("%d questions are open", len(open))
				}
				id = open[0].ID
				var values []string
				for _, a := range open[0].Answers {
					values = append(values, a.Value)
				}
				if open[0].Kind != row.kind || strings.Join(values, " ") != row.values || len(id) < 26 || open[0].Since.IsZero() {
					t.Errorf("the question is %+v", open[0])
				}
				if row.outside != "" {
					if err := q.answer(id, row.outside); fmt.Sprint(err) != cmp.Or(row.refused, "<nil>") {
						t.Errorf("answering: %v, want %q", err, row.refused)
					}
				}
				if row.inside == nil && row.err == nil {
					<-ctx.Done()
					return policy.Answer{}, context.Cause(ctx)
				}
				if row.inside == nil {
					return policy.Answer{}, row.err
				}
				return *row.inside, nil
			})(t.Context(), row.question)
			if answer != row.want || !errors.Is(err, row.err) {
				t.Errorf("answer %+v, error %v, want %+v, %v", answer, err, row.want, row.err)
			}
			if late := q.answer(id, "no"); late == nil || !strings.Contains(late.Error(), "does not count") {
				t.Errorf("a late answer: %v", late)
			}
			if len(q.list()) != 0 {
				t.Error("the question is still open")
			}
			if texts := told(); (row.want.Via != "") != (len(texts) == 1 && strings.HasPrefix(texts[0], "the question was answered by aura web: ")) {
				t.Errorf("told %q", texts)
			}
		})
	}
}

// TestQuestionsSideBySide asks three questions at a time: the front end sees one, all can be answered from outside, and one ends with its call.
func TestQuestionsSideBySide(t *testing.T) {
	t.Parallel()
	q, _ := desk()
	var asking, most int
	var mu sync.Mutex
	ask := q.asking(func(ctx context.Context, _ policy.Question) (policy.Answer, error) {
		mu.Lock()
		asking++
		most = max(most, asking)
		mu.Unlock()
		<-ctx.Done()
		mu.Lock()
		asking--
		mu.Unlock()
		return policy.Answer{}, context.Cause(ctx)
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	over := errors.New("the call is over")
	results := map[string]chan error{"a": make(chan error, 1), "b": make(chan error, 1), "c": make(chan error, 1)}
	for name, result := range results {
		of := t.Context()
		if name == "c" {
			of = ctx
		}
		go func() {
			answer, err := ask(of, policy.Question{Tool: name})
			if err == nil && answer.Decision != policy.Once {
				err = errors.New("another answer")
			}
			result <- err
		}()
	}
	ids := map[string]string{}
	for len(ids) < len(results) {
		for _, open := range q.list() {
			ids[open.Tool] = open.ID
		}
	}
	cancel(over)
	if err := <-results["c"]; !errors.Is(err, over) {
		t.Errorf("a question whose call ended: %v", err)
	}
	if err := q.answer(ids["c"], "once"); err == nil || !strings.Contains(err.Error(), "its call or its turn ended") {
		t.Errorf("answering it: %v", err)
	}
	for _, name := range []string{"b", "a"} {
		if err := errors.Join(q.answer(ids[name], "once"), <-results[name]); err != nil {
			t.Error(err)
		}
	}
	if most > 1 {
		t.Errorf("the front end was asked %d questions at a time", most)
	}
	if err := q.answer("none", "once"); !errors.Is(err, errNoQuestion) {
		t.Errorf("another id: %v", err)
	}
}

// TestQuestionsRace lets the front end and another process answer at the same time: one of them counts, and the other one learns it.
func TestQuestionsRace(t *testing.T) {
	t.Parallel()
	for range 200 {
		q, told := desk()
		accepted := make(chan error, 1)
		answer, err := q.asking(func(context.Context, policy.Question) (policy.Answer, error) {
			id := q.list()[0].ID
			go func() { accepted <- q.answer(id, "no") }()
			return policy.Answer{Decision: policy.Once}, nil
		})(t.Context(), policy.Question{Tool: "Bash"})
		outside := <-accepted == nil
		if want := map[bool]policy.Decision{false: policy.Once, true: policy.Reject}[outside]; err != nil || answer.Decision != want || (len(told()) == 1) != outside {
			t.Fatalf("answered from outside %v; decision %s, error %v, told %q", outside, answer.Decision, err, told())
		}
	}
}

// TestQuestionReports checks that secrets are removed from questions, and that one that is too long can only be refused.
func TestQuestionReports(t *testing.T) {
	t.Parallel()
	secrets := redact.New("hunter2-hunter2")
	long := strings.Repeat("x", reportedText)
	rows := map[string]struct {
		q   session.Question
		cut bool
	}{
		"arguments":      {reportCall(policy.Question{Tool: "Bash", Args: map[string]any{"command": "echo hunter2-hunter2"}, Pattern: "Bash:echo hunter2-hunter2", Covers: "hunter2-hunter2"}), false},
		"changes":        {reportCall(policy.Question{Tool: "Write", Args: map[string]any{"path": "hunter2-hunter2"}, Changes: "+hunter2-hunter2"}), false},
		"an access":      {reportCall(policy.Question{Access: &policy.Access{What: "hunter2-hunter2", Why: []string{"hunter2-hunter2"}}}), false},
		"a server":       {reportInquiry(mcp.Inquiry{Server: "hunter2-hunter2", Message: "hunter2-hunter2", Options: []mcp.Option{{Value: "hunter2-hunter2", Title: "hunter2-hunter2"}}}), false},
		"long arguments": {reportCall(policy.Question{Tool: "Bash", Args: map[string]any{"command": "echo hunter2-hunter2" + long}}), true},
		"long changes":   {reportCall(policy.Question{Tool: "Bash", Changes: long}), true},
		"a long plan":    {reportCall(policy.Question{Text: long, Options: []policy.Option{{Value: "edit"}}}), true},
		"a long reason":  {reportCall(policy.Question{Access: &policy.Access{Grant: true, Why: []string{long}}}), true},
		"a long pattern": {reportCall(policy.Question{Tool: "Bash", Pattern: long}), true},
		"many lines":     {reportCall(policy.Question{Tool: "Bash", Args: map[string]any{"command": strings.Repeat("x\n", reportedLines+1)}}), true},
	}
	for name, row := range rows {
		got := hidden(row.q, secrets)
		text := fmt.Sprintf("%+v %s", got, got.Arguments)
		if strings.Contains(text, "hunter2") || got.Cut != row.cut || len(text) > 2*reportedText {
			t.Errorf("%s: %d bytes, cut %v: %.300s", name, len(text), got.Cut, text)
		}
		if row.cut && (len(got.Answers) != 1 || got.Answers[0].Value != valueRefuse) {
			t.Errorf("%s: the answers are %+v", name, got.Answers)
		}
	}
}

// TestInquiryAnswers checks the answers to questions of MCP servers from outside.
func TestInquiryAnswers(t *testing.T) {
	t.Parallel()
	options := mcp.Inquiry{Options: []mcp.Option{{Value: "red", Title: "Red"}, {Value: "blue", Title: "Blue"}}}
	rows := []struct {
		q     mcp.Inquiry
		value string
		text  string
		ok    bool
	}{
		{options, "2", "blue", true},
		{options, "no", "", false},
		{mcp.Inquiry{Optional: true}, "skip", "", true},
		{mcp.Inquiry{URL: "https://example.org"}, "opened", "", true},
		{mcp.Inquiry{URL: "https://example.org"}, "no", "", false},
		{mcp.Inquiry{Field: "name"}, "no", "", false},
	}
	for _, row := range rows {
		q, _ := desk()
		front := inquirer(func(ctx context.Context) {
			if err := q.answer(q.list()[0].ID, row.value); err != nil {
				t.Error(err)
			}
			<-ctx.Done()
		})
		if text, ok, err := q.inquiring(front)(t.Context(), row.q); text != row.text || ok != row.ok || err != nil {
			t.Errorf("%+v %s: %q, %v, %v", row.q, row.value, text, ok, err)
		}
	}
}

// inquirer is a front end that asks nobody.
type inquirer func(context.Context)

func (f inquirer) Inquire(ctx context.Context, _ mcp.Inquiry) (string, bool, error) {
	f(ctx)
	return "wrong", true, context.Cause(ctx)
}

// TestAnswerFromOutside answers approvals through the socket of a session as its own terminal would: once, for the session, and always, which the
// policy keeps. What comes too late, for another session or for a session without a user is refused.
func TestAnswerFromOutside(t *testing.T) {
	t.Parallel()
	bash := func(command string) string {
		return "  - tool_calls: [{name: Bash, arguments: {command: '" + command + "'}}]\n"
	}
	p := newPlace(t, map[string]string{
		".aura/config/agents/a.md": "---\nname: a\ndefault: true\ntools: {policy: {confirm: [Bash]}}\n---\n",
		".aura/config/talk.yaml":   "turns:\n" + bash("touch once") + bash("touch session") + bash("touch session") + bash("touch always") + bash("touch no") + "  - text: Done.\n",
	})
	c, err := config.Locate(p.o.Config)
	if err != nil {
		t.Fatal(err)
	}
	answer := func(id, question, value string) error {
		return host.AnswerQuestion(t.Context(), id, question, value, setup.RuntimeDirs(c)...)
	}
	var last session.Live
	var asked []string
	var events []event.Approval
	front := watcher{func(e event.Event) {
		if e, ok := e.(event.Approval); ok {
			events = append(events, e)
		}
	}, func(ctx context.Context, q policy.Question) (policy.Answer, error) {
		last = liveOf(t, p)
		command, _ := q.Args["command"].(string)
		value := strings.TrimPrefix(command, "touch ")
		asked = append(asked, value)
		if len(last.Questions) != 1 || !strings.Contains(string(last.Questions[0].Arguments), command) {
			t.Fatalf("the questions are %+v", last.Questions)
		}
		id := last.Questions[0].ID
		for name, err := range map[string]error{"another question": answer(last.ID, "none", "once"), "another session": answer("none", id, "once"), "no answer": answer(last.ID, id, "maybe")} {
			if err == nil || ctx.Err() != nil {
				t.Errorf("%s: error %v, context %v", name, err, ctx.Err())
			}
		}
		if err := answer(last.ID, id, value); err != nil {
			t.Error(err)
		}
		if err := answer(last.ID, id, "once"); err == nil || !strings.Contains(err.Error(), "was answered by aura web already") {
			t.Errorf("a second answer: %v", err)
		}
		<-ctx.Done()
		return policy.Answer{}, context.Cause(ctx)
	}}
	s, err := Open(t.Context(), p.o, front)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.RunLine(t.Context(), frontend.Line{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"once", "session", "always", "no"}; !slices.Equal(asked, want) {
		t.Errorf("asked about %v, want %v", asked, want)
	}
	for i, want := range []string{"once", "session", "always", "no"} {
		if i >= len(events) || events[i].Decision != want || events[i].Via != "aura web" {
			t.Errorf("the events are %+v", events)
			break
		}
		if p.has(want) != (want != "no") {
			t.Errorf("%s: ran %v", want, p.has(want))
		}
	}
	if kept, err := s.setup.Kept().All(); err != nil || len(kept) != 1 || kept[0].Pattern != "Bash:touch always" {
		t.Errorf("kept %+v, error %v", kept, err)
	}
	if err := s.Close(session.ReasonDone); err != nil {
		t.Error(err)
	}
	if err := answer(last.ID, last.Questions[0].ID, "once"); err == nil || !strings.Contains(err.Error(), "the session has ended") {
		t.Errorf("after the end: %v", err)
	}
	p.confirm = nil
	if out := p.run(t.Context(), "go"); p.has("no") || !strings.Contains(out.told(), "no terminal to ask on") {
		t.Errorf("without a user: %s", out.told())
	}
}
