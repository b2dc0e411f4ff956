package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/ui/web"
)

// terminal is a user at the terminal in place of a real one.
type terminal struct {
	mu sync.Mutex
	// yes is the answer to the next question, and asked what was shown. did is what was done, and fails why it cannot be done.
	yes   bool
	asked []string
	did   []string
	fails error
	// opened, if not nil, is closed when the question is open; then only the end of the request answers it.
	opened chan struct{}
}

func (u *terminal) control() *web.Control {
	act := func(what string) error {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.did = append(u.did, what)
		return u.fails
	}
	return &web.Control{
		Confirm: func(ctx context.Context, about []string) (bool, error) {
			u.mu.Lock()
			u.asked = append(u.asked, strings.Join(about, " "))
			yes, opened := u.yes, u.opened
			u.mu.Unlock()
			if opened != nil {
				close(opened)
				<-ctx.Done()
			}
			return yes, nil
		},
		Plugin: func(_ context.Context, p host.Status, a host.Action) (host.Answer, error) {
			return host.Answer{State: host.StateReady, Pid: 7}, act(fmt.Sprint(a, " ", p.Name))
		},
		Cancel: func(_ context.Context, id string, turn int) error { return act(fmt.Sprint("cancel ", turn)) },
		Answer: func(_ context.Context, id, question, answer string) error {
			return act(fmt.Sprint("answer ", question, " ", answer))
		},
		Done: func(string) {},
	}
}

// take returns what was asked and done since the last call.
func (u *terminal) take() (asked, did string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	asked, did = strings.Join(u.asked, "\n"), strings.Join(u.did, "\n")
	u.asked, u.did = nil, nil
	return asked, did
}

// controlled is a world with a plugin and a session that runs, and a user at the terminal.
func controlled(t *testing.T, user *terminal) (w *world, id string) {
	t.Helper()
	w = serve(t, false, func(w *world) {
		j := w.talk(llm.Message{Role: llm.RoleUser, Content: marker})
		id = j.ID()
		raw, err := json.Marshal(session.Live{ID: id, Workdir: "/project", State: session.ActivityTool, For: []string{"Bash"}, Turn: 3, Questions: []session.Question{
			{ID: "q1", Kind: session.QuestionCall, Tool: "Bash", Arguments: json.RawMessage(`{"command":"rm x\u202e\nThe answer is: no"}`), Why: []string{"required by rule \"Bash\" of " + secret}, Answers: []session.QuestionAnswer{
				{Value: "once", Title: "once"}, {Value: "always", Title: "always", Pattern: "Bash:rm x", Covers: "this exact command"}, {Value: "no", Title: "no"},
			}},
			{ID: "q2", Kind: session.QuestionNetwork, About: "connect to example.org:443", Cut: true, Answers: []session.QuestionAnswer{{Value: "no", Title: "no"}}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		w.reports = []json.RawMessage{raw}
		w.statuses = []host.Status{{PluginHealth: host.PluginHealth{Name: "mine", Health: host.Health{Session: id, State: host.StateReady, Pid: 5}}, Project: "/project"}}
		if user != nil {
			w.control = user.control()
		}
	})
	return w, id
}

// TestControl checks who may ask for a change, that nothing is done without a yes in the terminal, and what is shown there.
func TestControl(t *testing.T) {
	t.Parallel()
	user := &terminal{}
	w, id := controlled(t, user)
	_, list := w.do(request{path: "/plugins"})
	plugin := strings.TrimPrefix(addresses(list, "/plugins/")[0], "/plugins/")
	answer := "action=answer&question=q1&session=" + id + "&answer="
	restart, cancel := "action=restart&plugin="+plugin, "action=cancel&turn=3&session="+id
	form := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	with := func(more map[string]string) map[string]string {
		out := maps.Clone(form)
		maps.Copy(out, more)
		return out
	}
	no := errors.New("it cannot be loaded")
	rows := map[string]struct {
		request
		yes    bool
		fails  error
		status int
		// asked and did are what the terminal shows, and what is done after a yes; empty for nothing.
		asked, did string
	}{
		"restart":                       {request{form: restart}, true, nil, 200, "A page asks to restart plugin mine (pid 5) in session " + id + " of /project.", "restart mine"},
		"quarantine":                    {request{form: "action=quarantine&plugin=" + plugin}, true, nil, 200, "A page asks to quarantine plugin mine", "quarantine mine"},
		"cancel":                        {request{form: cancel}, true, nil, 200, "A page asks to cancel turn 3 of session " + id, "cancel 3"},
		"our script in a browser":       {request{form: restart, headers: with(map[string]string{"Origin": "http://" + w.addr, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"})}, true, nil, 200, "restart", "restart mine"},
		"a no":                          {request{form: restart}, false, nil, 403, "restart", ""},
		"a failure":                     {request{form: restart}, true, no, 409, "restart", "restart mine"},
		"a turn that is over":           {request{form: "action=cancel&turn=2&session=" + id}, true, nil, 409, "", ""},
		"a session that is over":        {request{form: "action=cancel&turn=2&session=none"}, true, nil, 409, "", ""},
		"an answer":                     {request{form: answer + "once"}, true, nil, 200, "A page asks to answer a question of session " + id + " (" + marker + ") of /project: Bash    rm x<U+202E>   The answer is: no required by rule \"Bash\" of [redacted] The answer is: once", "answer q1 once"},
		"an answer for all sessions":    {request{form: answer + "always"}, true, nil, 200, "The answer is: always It approves: Bash:rm x (this exact command)", "answer q1 always"},
		"no as an answer":               {request{form: answer + "no"}, true, nil, 200, "The answer is: no", "answer q1 no"},
		"a no in the terminal":          {request{form: answer + "once"}, false, nil, 403, "The answer is: once", ""},
		"an answer that is late":        {request{form: answer + "once"}, true, no, 409, "The answer is: once", "answer q1 once"},
		"a question that is too long":   {request{form: "action=answer&question=q2&answer=no&session=" + id}, true, nil, 200, "It can only be refused here", "answer q2 no"},
		"yes to it":                     {request{form: "action=answer&question=q2&answer=once&session=" + id}, true, nil, 409, "", ""},
		"an answer to nothing":          {request{form: "action=answer&question=q3&answer=once&session=" + id}, true, nil, 409, "", ""},
		"an answer of another session":  {request{form: "action=answer&question=q1&answer=once&session=none"}, true, nil, 409, "", ""},
		"an answer of another question": {request{form: answer + "outside"}, true, nil, 409, "", ""},
		"an answer without a token":     {request{form: answer + "once", headers: with(map[string]string{"Aura-Token": ""})}, true, nil, 401, "", ""},
		"an answer with a password":     {request{form: answer + "once", headers: with(map[string]string{"Aura-Token": ""}), basic: string(w.token)}, true, nil, 401, "", ""},
		"an answer of another page":     {request{form: answer + "once", headers: with(map[string]string{"Sec-Fetch-Site": "cross-site"})}, true, nil, 403, "", ""},
		"no turn":                       {request{form: "action=cancel&session=" + id}, true, nil, 409, "", ""},
		"a plugin that is gone":         {request{form: "action=restart&plugin=none"}, true, nil, 409, "", ""},
		"another action":                {request{form: "action=kill&plugin=" + plugin}, true, nil, 409, "", ""},
		"in the address":                {request{path: "/control?" + restart}, true, nil, 409, "", ""},
		"no token":                      {request{form: restart, headers: with(map[string]string{"Aura-Token": ""})}, true, nil, 401, "", ""},
		"the token as a password":       {request{form: restart, headers: with(map[string]string{"Aura-Token": ""}), basic: string(w.token)}, true, nil, 401, "", ""},
		"for no scripts":                {request{path: "/plain/control", form: restart}, true, nil, 405, "", ""},
		"and with a password":           {request{path: "/plain/control", form: restart, headers: with(map[string]string{"Aura-Token": ""}), basic: string(w.token)}, true, nil, 405, "", ""},
		"another page":                  {request{form: restart, headers: with(map[string]string{"Sec-Fetch-Site": "cross-site"})}, true, nil, 403, "", ""},
		"a page on another port":        {request{form: restart, headers: with(map[string]string{"Sec-Fetch-Site": "same-site"})}, true, nil, 403, "", ""},
		"another origin":                {request{form: restart, headers: with(map[string]string{"Origin": "http://127.0.0.1:1"})}, true, nil, 403, "", ""},
		"an origin without a name":      {request{form: restart, headers: with(map[string]string{"Origin": "null"})}, true, nil, 403, "", ""},
		"the address bar":               {request{form: restart, headers: with(map[string]string{"Sec-Fetch-Site": "none"})}, true, nil, 403, "", ""},
		"rebinding":                     {request{form: restart, host: "evil.example"}, true, nil, 421, "", ""},
		"no form":                       {request{form: restart, headers: map[string]string{"Content-Type": "text/plain"}}, true, nil, 415, "", ""},
		"by GET":                        {request{path: "/control?" + restart, method: http.MethodGet}, true, nil, 404, "", ""},
		"to another address":            {request{path: "/plugins/" + plugin, form: restart}, true, nil, 405, "", ""},
		"a form that is too large":      {request{form: restart + "&x=" + strings.Repeat("x", 8<<10)}, true, nil, 409, "", ""},
	}
	for name, row := range rows {
		if row.path == "" {
			row.path = "/control"
		}
		if row.method == "" {
			row.method = http.MethodPost
		}
		if row.headers == nil {
			row.headers = form
		}
		user.mu.Lock()
		user.yes, user.fails = row.yes, row.fails
		user.mu.Unlock()
		answer, body := w.do(row.request)
		asked, did := user.take()
		if answer.StatusCode != row.status || !strings.Contains(asked, row.asked) || (asked == "") != (row.asked == "") || did != row.did {
			t.Errorf("%s: status %d, want %d; asked %q, want %q; did %q, want %q: %s", name, answer.StatusCode, row.status, asked, row.asked, did, row.did, body)
		}
		if strings.Contains(body, string(w.token)) {
			t.Errorf("%s: the answer has the token", name)
		}
		checkHeaders(t, name, answer)
	}
	for path, buttons := range map[string]int{"/plugins/" + plugin: 2, "/sessions/" + id: 1, "/plain/plugins/" + plugin: 0, "/plain/sessions/" + id: 0} {
		_, page := w.do(request{path: path})
		answers := 0
		if path == "/sessions/"+id {
			answers = 4
		}
		if strings.Count(page, `<button name="action"`) != buttons || strings.Count(page, `<button name="answer"`) != answers {
			t.Errorf("%s: want %d buttons and %d answers: %s", path, buttons, answers, page)
		}
		if strings.Contains(path, "/sessions/") && (!strings.Contains(page, "rm x&lt;U&#43;202E&gt;") || !strings.Contains(page, "connect to example.org:443")) {
			t.Errorf("%s does not show the questions: %s", path, page)
		}
	}
}

// TestControlOff checks that pages have no buttons and that nothing is done unless the user permits it.
func TestControlOff(t *testing.T) {
	t.Parallel()
	w, id := controlled(t, nil)
	answer, _ := w.do(request{method: http.MethodPost, path: "/control", form: "action=cancel&turn=3&session=" + id, headers: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}})
	if answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("status %d", answer.StatusCode)
	}
	answer, _ = w.do(request{method: http.MethodPost, path: "/control", form: "action=answer&question=q1&answer=once&session=" + id, headers: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}})
	if answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("an answer: status %d", answer.StatusCode)
	}
	if _, page := w.do(request{path: "/sessions/" + id}); strings.Contains(page, `<button name="a`) || !strings.Contains(page, "Answers: once, always, no") {
		t.Errorf("buttons, or no question: %s", page)
	}
	if _, page := w.do(request{path: "/sessions"}); !strings.Contains(page, "Bash rm x&lt;U&#43;202E&gt; The answer is: no, and 1 more") {
		t.Errorf("the list does not show the question: %s", page)
	}
}

// TestControlOneAtATime checks that a second request is refused while the first one waits, and that the end of the page that asked is a no.
func TestControlOneAtATime(t *testing.T) {
	t.Parallel()
	user := &terminal{yes: true, opened: make(chan struct{})}
	w, id := controlled(t, user)
	ctx, leave := context.WithCancel(t.Context())
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+w.addr+"/control", strings.NewReader("action=cancel&turn=3&session="+id))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Aura-Token", string(w.token))
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		if answer, err := http.DefaultClient.Do(q); err == nil {
			_ = answer.Body.Close()
		}
	}()
	<-user.opened
	second := request{method: http.MethodPost, path: "/control", form: "action=cancel&turn=3&session=" + id, headers: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}}
	if answer, body := w.do(second); answer.StatusCode != http.StatusConflict || !strings.Contains(body, "another request waits") {
		t.Errorf("status %d: %s", answer.StatusCode, body)
	}
	user.mu.Lock()
	user.yes, user.opened = false, nil
	user.mu.Unlock()
	leave()
	<-gone
	// The next request is asked about once the first one has ended.
	for {
		answer, _ := w.do(second)
		if answer.StatusCode == http.StatusForbidden {
			break
		}
		if answer.StatusCode != http.StatusConflict {
			t.Fatalf("status %d", answer.StatusCode)
		}
	}
	if _, did := user.take(); did != "" {
		t.Errorf("done for a page that is gone: %s", did)
	}
}

// TestControlMoot checks that a request is withdrawn from the terminal when its question is answered elsewhere.
func TestControlMoot(t *testing.T) {
	t.Parallel()
	user := &terminal{yes: true, opened: make(chan struct{})}
	w, id := controlled(t, user)
	go func() {
		<-user.opened
		w.later.Store(&[]json.RawMessage{json.RawMessage(`{"id":"` + id + `","state":"tool","turn":3}`)})
	}()
	answer, body := w.do(request{method: http.MethodPost, path: "/control", form: "action=answer&question=q1&answer=once&session=" + id, headers: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}})
	if answer.StatusCode != http.StatusConflict || !strings.Contains(body, "the question is no longer open") {
		t.Errorf("status %d: %s", answer.StatusCode, body)
	}
	if _, did := user.take(); did != "" {
		t.Errorf("did %q", did)
	}
}
