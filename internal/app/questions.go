package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/redact"
)

const (
	// reportedQuestions is how many open questions a session reports. Only reported ones can be answered from outside.
	reportedQuestions = 8
	// rememberedQuestions is how many questions that are over a session remembers, to say why an answer is late.
	rememberedQuestions = 32
	// answeredBy names who answers for other processes.
	answeredBy = "aura web"
)

// questions owns the open questions of a session to its user. The front end is asked one question at a time. Another process of the user may
// answer each of them; the first answer counts.
type questions struct {
	secrets *redact.Current
	// waits marks that something waits for an answer, until its result is called. tell shows a notice.
	waits func(what string) func()
	tell  func(text string)
	// front has a place for the question that the front end is asked, because subagents and MCP servers may ask concurrently.
	front chan struct{}

	mu   sync.Mutex
	open []*openQuestion
	// over holds the last questions that are over.
	over []overQuestion
}

// openQuestion is a question that waits for an answer.
type openQuestion struct {
	about session.Question
	// end withdraws the question from the front end.
	end context.CancelCauseFunc
	// outside is the answer of another process; nil as long as there is none.
	outside *session.QuestionAnswer
}

// cause says to the front end what the answer of another process is.
func cause(a *session.QuestionAnswer) *frontend.AnsweredError {
	return &frontend.AnsweredError{By: answeredBy, Answer: a.Title, Refused: a.Value == valueRefuse}
}

// overQuestion says how a question ended.
type overQuestion struct{ id, how string }

var errNoQuestion = errors.New("the session asks no such question")

func newQuestions(secrets *redact.Current, waits func(string) func(), tell func(string)) *questions {
	return &questions{secrets: secrets, waits: waits, tell: tell, front: make(chan struct{}, 1)}
}

// asking returns a function that asks the user about calls.
func (q *questions) asking(ask func(context.Context, policy.Question) (policy.Answer, error)) func(context.Context, policy.Question) (policy.Answer, error) {
	return func(ctx context.Context, about policy.Question) (answer policy.Answer, err error) {
		outside, err := q.ask(ctx, about.Tool, reportCall(about), func(ctx context.Context) error {
			answer, err = ask(ctx, about)
			return err
		})
		if outside != nil {
			return answerCall(about, outside.Value), nil
		}
		return answer, err
	}
}

// inquiring returns a function that asks the user a question of an MCP server.
func (q *questions) inquiring(f frontend.Inquirer) mcp.Ask {
	return func(ctx context.Context, about mcp.Inquiry) (text string, ok bool, err error) {
		outside, err := q.ask(ctx, "MCP server "+about.Server, reportInquiry(about), func(ctx context.Context) error {
			text, ok, err = f.Inquire(ctx, about)
			return err
		})
		if outside != nil {
			text, ok = answerInquiry(about, outside.Value)
			return text, ok, nil
		}
		return text, ok, err
	}
}

// ask asks the user. front asks by the front end, and returns when its context ends. If another process answers first, ask returns that answer,
// and what the front end returned does not count.
func (q *questions) ask(ctx context.Context, what string, about session.Question, front func(context.Context) error) (*session.QuestionAnswer, error) {
	defer q.waits(what)()
	within, end := context.WithCancelCause(ctx)
	defer end(nil)
	asked := q.begin(about, end)
	shown := false
	select {
	case q.front <- struct{}{}:
		shown = true
	case <-within.Done():
	}
	err := context.Cause(within)
	if err == nil {
		err = front(within)
	}
	outside := q.finish(asked, err)
	if outside != nil {
		q.tell(cause(outside).Error())
	}
	if shown { // after the notice, before which the front end is not asked the next question
		<-q.front
	}
	return outside, err
}

// begin adds a question.
func (q *questions) begin(about session.Question, end context.CancelCauseFunc) *openQuestion {
	about.ID, about.Since = rand.Text(), time.Now()
	asked := &openQuestion{about: hidden(about, q.secrets.Get()), end: end}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.open = append(q.open, asked)
	return asked
}

// finish ends a question that the front end has answered, or that is not asked any more because of an error. It returns the answer of another
// process if that came first.
func (q *questions) finish(asked *openQuestion, err error) *session.QuestionAnswer {
	q.mu.Lock()
	defer q.mu.Unlock()
	how := "was answered in the session"
	if err != nil {
		how = "is no longer asked, because its call or its turn ended"
	}
	q.close(asked, how)
	return asked.outside
}

// close removes a question that is open. The caller holds the lock.
func (q *questions) close(asked *openQuestion, how string) {
	i := slices.Index(q.open, asked)
	if i < 0 {
		return
	}
	q.open = slices.Delete(q.open, i, i+1)
	if len(q.over) == rememberedQuestions {
		q.over = slices.Delete(q.over, 0, 1)
	}
	q.over = append(q.over, overQuestion{asked.about.ID, how})
}

// answer answers a question for another process of the user. It refuses what is not asked any more, and what is no answer to it.
func (q *questions) answer(id, value string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.open, func(o *openQuestion) bool { return o.about.ID == id })
	if i < 0 {
		for _, o := range q.over {
			if o.id == id {
				return fmt.Errorf("the question %s, so this answer does not count", o.how)
			}
		}
		return errNoQuestion
	}
	asked := q.open[i]
	j := slices.IndexFunc(asked.about.Answers, func(a session.QuestionAnswer) bool { return a.Value == value })
	if j < 0 {
		return fmt.Errorf("the question has no answer %q", value)
	}
	asked.outside = &asked.about.Answers[j]
	q.close(asked, "was answered by "+answeredBy+" already")
	asked.end(cause(asked.outside))
	return nil
}

// list returns the open questions for other processes.
func (q *questions) list() []session.Question {
	q.mu.Lock()
	defer q.mu.Unlock()
	var out []session.Question
	for _, o := range q.open[:min(len(q.open), reportedQuestions)] {
		out = append(out, o.about)
	}
	return out
}
