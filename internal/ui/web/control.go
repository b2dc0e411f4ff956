package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/ui/top"
)

const (
	// controlPath is the only address that takes a POST request.
	controlPath = "/control"
	// answerTime is how long the user may take to answer in the terminal, and actTime how long the session may take then.
	answerTime = 2 * time.Minute
	actTime    = 3 * time.Minute
)

// Control is what pages may do if the user permits it. Each request is asked for in the terminal first.
type Control struct {
	// Confirm shows in the terminal what a page asks for, line by line, and returns whether the user agrees. It returns when ctx ends. It is
	// called for one request at a time.
	Confirm func(ctx context.Context, about []string) (bool, error)
	// Plugin restarts or quarantines a plugin; see host.Status.Do. Cancel cancels a turn; see host.CancelTurn.
	Plugin func(context.Context, host.Status, host.Action) (host.Answer, error)
	Cancel func(ctx context.Context, session string, turn int) error
	// Answer answers a question of a session; see host.AnswerQuestion.
	Answer func(ctx context.Context, session, question, answer string) error
	// Done shows in the terminal what became of a request that the user agreed to.
	Done func(text string)
}

// controlRequest is something that a page asks for, with the words for it.
type controlRequest struct {
	about []string
	do    func(context.Context) (string, error)
	// moot returns why the request has become pointless, while the user is asked; nil if it has not. It may be nil.
	moot func() error
}

var (
	errBusy    = errors.New("another request waits for an answer in the terminal")
	errRefused = errors.New("refused in the terminal; nothing was done")
)

// controllable reports whether a page has buttons. Pages for browsers without scripts have none: their requests have no header with the token.
func (s *site) controllable(r *http.Request) bool { return s.control != nil && !isPlain(r.RequestURI) }

// controls answers a POST request: it asks the user in the terminal, and does it. The answer is one line for the page.
func (s *site) controls(w http.ResponseWriter, r *http.Request) {
	say := func(status int, text string) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		// A client that has gone does not need the answer.
		_, _ = fmt.Fprintln(w, *cleaned(s.reader.source.Secrets, &text))
	}
	// While the user thinks, the connection has no deadline of its own.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
	asked, err := s.requested(r)
	if err != nil {
		say(http.StatusConflict, err.Error())
		return
	}
	text, err := s.carryOut(r.Context(), asked)
	switch {
	case errors.Is(err, errBusy):
		say(http.StatusConflict, err.Error())
	case errors.Is(err, errRefused):
		say(http.StatusForbidden, err.Error())
	case err != nil:
		s.control.Done("not done: " + err.Error())
		say(http.StatusConflict, "not done: "+err.Error())
	default:
		s.control.Done(text)
		say(http.StatusOK, text)
	}
}

// carryOut asks the user about a request, and does it.
func (s *site) carryOut(ctx context.Context, asked controlRequest) (string, error) {
	if !s.asking.TryLock() {
		return "", errBusy
	}
	defer s.asking.Unlock()
	within, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	within, withdraw := context.WithCancelCause(within)
	defer asked.watch(within, withdraw)()
	yes, err := s.control.Confirm(within, asked.about)
	if moot, ok := errors.AsType[*mootError](context.Cause(within)); ok {
		return "", moot
	}
	if err != nil || !yes || within.Err() != nil {
		return "", errRefused // also if the page or the time is gone
	}
	within, end := context.WithTimeout(ctx, actTime)
	defer end()
	return asked.do(within)
}

// mootError is why a request became pointless while the user was asked about it.
type mootError struct{ error }

// watchInterval is how often it is checked whether a request has become pointless.
const watchInterval = time.Second

// watch withdraws a request from the terminal when it becomes pointless, until the returned function is called.
func (r controlRequest) watch(ctx context.Context, withdraw context.CancelCauseFunc) (end func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(watchInterval)
		defer tick.Stop()
		for r.moot != nil {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := r.moot(); err != nil {
					withdraw(&mootError{err})
					return
				}
			}
		}
	}()
	return func() {
		withdraw(nil)
		<-done
	}
}

// requested returns what a request asks for, in the words of what is known now. A page cannot say anything that is shown or done: it only names
// a plugin or a session.
func (s *site) requested(r *http.Request) (controlRequest, error) {
	switch action := host.Action(r.PostFormValue("action")); action {
	case host.ActionRestart, host.ActionQuarantine:
		rows := s.reader.plugins(func(time.Duration) bool { return false })
		i := slices.IndexFunc(rows, func(row top.Row) bool { return pluginID(row.Status) == r.PostFormValue("plugin") })
		if i < 0 {
			return controlRequest{}, errors.New("no running session has this plugin any more")
		}
		return s.pluginRequest(rows[i].Status, action), nil
	case host.ActionCancel:
		turn, err := strconv.Atoi(r.PostFormValue("turn"))
		if err != nil {
			return controlRequest{}, errors.New("the request names no turn")
		}
		return s.cancelRequest(r.PostFormValue("session"), turn)
	case host.ActionAnswer:
		return s.answerRequest(r.PostFormValue("session"), r.PostFormValue("question"), r.PostFormValue("answer"))
	default:
		return controlRequest{}, errors.New("there is no such request")
	}
}

func (s *site) pluginRequest(p host.Status, action host.Action) controlRequest {
	follows, done := "Its current call fails, and its state is lost. It is loaded from its present files.", "restarted"
	if action == host.ActionQuarantine {
		follows, done = "Its process is killed, and the session does not call it again until it is restarted.", "quarantined"
	}
	return controlRequest{
		about: []string{fmt.Sprintf("A page asks to %s plugin %s (pid %d)", action, p.Name, p.Pid), "in session " + p.Session + " of " + p.Project + ".", follows},
		do: func(ctx context.Context) (string, error) {
			answer, err := s.control.Plugin(ctx, p, action)
			return fmt.Sprintf("plugin %s in session %s: %s (state %s, pid %d)", p.Name, p.Session, done, answer.State, answer.Pid), err
		},
	}
}

func (s *site) cancelRequest(id string, turn int) (controlRequest, error) {
	var out controlRequest
	found, err := s.reader.session(id, func(row inspect.SessionRow, _ *session.Index) error {
		if row.Live == nil || row.Live.State == session.ActivityIdle || row.Live.Turn != turn {
			return fmt.Errorf("turn %d is over, so there is nothing to cancel", turn)
		}
		out.about = []string{
			fmt.Sprintf("A page asks to cancel turn %d of session %s (%s)", turn, row.ID, row.Title), "of " + row.Workdir + ": " + row.Condition() + ".", "What runs is ended. What was done stays done.",
		}
		return nil
	})
	if err == nil && !found {
		err = errors.New("there is no such session")
	}
	out.do = func(ctx context.Context) (string, error) {
		return fmt.Sprintf("turn %d of session %s: cancelled", turn, id), s.control.Cancel(ctx, id, turn)
	}
	return out, err
}
