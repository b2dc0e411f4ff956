package web_test

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/ui/web"
)

// world is a running server with its source.
type world struct {
	t       *testing.T
	dir     string
	token   web.Token
	addr    string
	reports []json.RawMessage
	// later, once it is set, is what the sessions report in place of reports.
	later    atomic.Pointer[[]json.RawMessage]
	statuses []host.Status
	// laterStatuses, once it is set, is what the sessions report in place of statuses.
	laterStatuses atomic.Pointer[[]host.Status]
	// silent is how many sessions do not answer in time.
	silent int
	// askedAll and asked count the questions to all sessions and to one.
	askedAll, asked atomic.Int64
	// plugin is what every plugin is described as.
	plugin *web.Described
	// control is what pages may do.
	control *web.Control
	// fleet connects to a fleet.
	fleet func(context.Context) (web.Fleet, error)
}

// secret is a value that no page may show.
const secret = "hunter2-hunter2-hunter2"

// serve starts a server. It ends with the test, and must then end in time.
func serve(t *testing.T, socket bool, change func(*world)) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), token: web.NewToken()}
	if change != nil {
		change(w)
	}
	listener, err := web.ListenPort(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	w.addr = listener.Addr().String()
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- web.Serve(ctx, listener, web.Options{Token: w.token, Socket: socket, Control: w.control, Source: web.Source{
			Journals: func() []string { return []string{w.dir} }, Reports: w.reported, Report: w.report,
			Statuses: func([]host.Status) ([]host.Status, int) {
				return *cmp.Or(w.laterStatuses.Load(), &w.statuses), w.silent
			}, Describe: func(host.Status) (*web.Described, error) { return w.plugin, nil }, Secrets: redact.New(secret), Fleet: w.fleet,
		}})
	}()
	t.Cleanup(func() {
		end()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(time.Minute):
			t.Error("the server does not end")
		}
	})
	return w
}

// reported is what all sessions report, by the names of sockets.
func (w *world) reported() map[string]json.RawMessage {
	w.askedAll.Add(1)
	out := map[string]json.RawMessage{}
	for i, raw := range *cmp.Or(w.later.Load(), &w.reports) {
		out[strconv.Itoa(i)] = raw
	}
	return out
}

// report is what one session reports.
func (w *world) report(socket string) json.RawMessage {
	w.asked.Add(1)
	i, err := strconv.Atoi(socket)
	if list := *cmp.Or(w.later.Load(), &w.reports); err == nil && i < len(list) {
		return list[i]
	}
	return nil
}

// talk writes a session with messages, and returns its journal, which is open.
func (w *world) talk(messages ...llm.Message) *session.Journal {
	w.t.Helper()
	j, err := session.Create(w.dir, session.Meta{Provider: "p", Model: "m", Workdir: "/project", Agent: "a"})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, m := range messages {
		if err := j.Append(m); err != nil {
			w.t.Fatal(err)
		}
	}
	w.t.Cleanup(func() { _ = j.Close(session.End{Reason: session.ReasonDone}) })
	return j
}

// request is a request of a test. Headers with an empty value are not sent.
type request struct {
	method, path, host string
	headers            map[string]string
	basic              string
	// form is the body of the request.
	form string
}

// reply is what a response says besides its body, which is read and closed.
type reply struct {
	StatusCode int
	Header     http.Header
}

// do sends a request with the token unless its headers say otherwise, and does not follow redirections. It returns the body as text.
func (w *world) do(r request) (reply, string) {
	w.t.Helper()
	method := r.method
	if method == "" {
		method = http.MethodGet
	}
	q, err := http.NewRequestWithContext(w.t.Context(), method, "http://"+w.addr+r.path, strings.NewReader(r.form))
	if err != nil {
		w.t.Fatal(err)
	}
	q.Header.Set("Aura-Token", string(w.token))
	for name, value := range r.headers {
		q.Header.Set(name, value)
		if value == "" {
			q.Header.Del(name)
		}
	}
	if r.host != "" {
		q.Host = r.host
	}
	if r.basic != "" {
		q.SetBasicAuth("any", r.basic)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(q)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return reply{answer.StatusCode, answer.Header}, string(body)
}

// marker is in every page that shows something of the user's.
const marker = "the title of a session"

// navigation are the headers of a browser that opens a page in a tab.
func navigation(site string, more map[string]string) map[string]string {
	out := map[string]string{"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Sec-Fetch-Site": site, "Aura-Token": ""}
	maps.Copy(out, more)
	return out
}

// TestGuard checks who gets an answer. Every row but the first ones must get nothing of the user's.
func TestGuard(t *testing.T) {
	t.Parallel()
	w := serve(t, false, nil)
	w.talk(llm.Message{Role: llm.RoleUser, Content: marker})
	port := w.addr[strings.LastIndex(w.addr, ":"):]
	almost := string(w.token[:63]) + map[bool]string{true: "1", false: "0"}[w.token[63] == '0']
	header := func(name, value string) map[string]string { return map[string]string{name: value} }
	rows := map[string]struct {
		request
		status int
		shows  bool
	}{
		"our script":                       {request{}, 200, true},
		"our script in a browser":          {request{headers: map[string]string{"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}}, 200, true},
		"a browser without scripts":        {request{headers: navigation("same-origin", nil), basic: string(w.token)}, 200, true},
		"the address bar":                  {request{headers: navigation("none", nil)}, 200, false},
		"no token":                         {request{headers: header("Aura-Token", "")}, 401, false},
		"a wrong token":                    {request{headers: header("Aura-Token", almost)}, 401, false},
		"a longer token":                   {request{headers: header("Aura-Token", string(w.token)+"0")}, 401, false},
		"a shorter token":                  {request{headers: header("Aura-Token", string(w.token[:63]))}, 401, false},
		"a wrong password":                 {request{headers: header("Aura-Token", ""), basic: almost}, 401, false},
		"a token in a cookie":              {request{headers: map[string]string{"Aura-Token": "", "Cookie": "Aura-Token=" + string(w.token)}}, 401, false},
		"a token in the address":           {request{path: "/sessions?token=" + string(w.token), headers: header("Aura-Token", "")}, 401, false},
		"a token as bearer":                {request{headers: map[string]string{"Aura-Token": "", "Authorization": "Bearer " + string(w.token)}}, 401, false},
		"rebinding":                        {request{host: "evil.example" + port}, 421, false},
		"rebinding to localhost":           {request{host: "localhost" + port}, 421, false},
		"another port":                     {request{host: "127.0.0.1:1"}, 421, false},
		"no port":                          {request{host: "127.0.0.1"}, 421, false},
		"a name that ends like ours":       {request{host: "evil.example@" + w.addr}, 421, false},
		"a page of another site":           {request{headers: header("Sec-Fetch-Site", "cross-site")}, 403, false},
		"a page on another port":           {request{headers: header("Sec-Fetch-Site", "same-site")}, 403, false},
		"another origin":                   {request{headers: header("Origin", "http://127.0.0.1:1")}, 403, false},
		"an origin without a name":         {request{headers: header("Origin", "null")}, 403, false},
		"a link elsewhere with a password": {request{headers: navigation("cross-site", nil), basic: string(w.token)}, 200, false},
		"a frame with a password":          {request{headers: map[string]string{"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe", "Sec-Fetch-Site": "cross-site"}, basic: string(w.token)}, 403, false},
		"a form of ours":                   {request{method: http.MethodPost, headers: header("Sec-Fetch-Site", "same-origin")}, 405, false},
		"a form of another page":           {request{method: http.MethodPost, headers: header("Sec-Fetch-Site", "cross-site")}, 403, false},
		"preflight":                        {request{method: http.MethodOptions, headers: map[string]string{"Origin": "http://evil.example", "Access-Control-Request-Headers": "Aura-Token"}}, 405, false},
		"another method":                   {request{method: http.MethodDelete}, 405, false},
		"a file outside":                   {request{path: "/assets/../doc.go"}, 404, false},
		"a page that is not there":         {request{path: "/none"}, 404, false},
	}
	for name, row := range rows {
		if row.path == "" {
			row.path = "/sessions"
		}
		answer, body := w.do(row.request)
		if answer.StatusCode != row.status {
			t.Errorf("%s: status %d, want %d: %s", name, answer.StatusCode, row.status, body)
		}
		if strings.Contains(body, marker) != row.shows {
			t.Errorf("%s: shows the session %v, want %v", name, !row.shows, row.shows)
		}
		if strings.Contains(body, string(w.token)) {
			t.Errorf("%s: the answer has the token", name)
		}
		checkHeaders(t, name, answer)
	}
}

// checkHeaders checks the headers that every answer has, and those that no answer has.
func checkHeaders(t *testing.T, name string, answer reply) {
	t.Helper()
	policy := answer.Header.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("%s: the policy %q lacks %s", name, policy, part)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("%s: policy %q", name, policy)
	}
	for header, want := range map[string]string{
		"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Cross-Origin-Opener-Policy": "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin", "Set-Cookie": "", "Access-Control-Allow-Origin": "", "Access-Control-Allow-Headers": "",
	} {
		if got := answer.Header.Get(header); got != want {
			t.Errorf("%s: %s is %q, want %q", name, header, got, want)
		}
	}
}

// TestSignIn checks that only the pages that are there for it make a browser ask for a password, and that they lead to each other.
func TestSignIn(t *testing.T) {
	t.Parallel()
	w := serve(t, false, nil)
	j := w.talk(llm.Message{Role: llm.RoleUser, Content: marker})
	for path, asks := range map[string]bool{"/plain/sessions": true, "/plain/plugins": true, "/sessions": false, "/": false, "/plain": false} {
		answer, _ := w.do(request{path: path, headers: map[string]string{"Aura-Token": ""}})
		if got := answer.Header.Get("WWW-Authenticate") != ""; got != asks || answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: status %d, asks %v, want %v", path, answer.StatusCode, got, asks)
		}
	}
	answer, page := w.do(request{path: "/plain/sessions", headers: navigation("same-origin", nil), basic: string(w.token)})
	for _, want := range []string{`href="/plain/sessions/` + j.ID() + `"`, `action="/plain/sessions"`, `href="/assets/style.css"`, `href="/plain/plugins"`} {
		if answer.StatusCode != http.StatusOK || !strings.Contains(page, want) {
			t.Errorf("status %d, no %s in %s", answer.StatusCode, want, page)
		}
	}
	if answer, page := w.do(request{path: "/plain/sessions/" + j.ID(), headers: navigation("same-origin", nil), basic: string(w.token)}); answer.StatusCode != http.StatusOK || !strings.Contains(page, marker) {
		t.Errorf("status %d: %s", answer.StatusCode, page)
	}
	if answer, page := w.do(request{path: "/plain/sessions", headers: navigation("cross-site", nil), basic: string(w.token)}); answer.StatusCode != http.StatusOK || strings.Contains(page, marker) {
		t.Errorf("a link elsewhere: status %d: %s", answer.StatusCode, page)
	}
}

// TestSocketHosts checks which names a browser may use at the end of a tunnel.
func TestSocketHosts(t *testing.T) {
	t.Parallel()
	w := serve(t, true, nil)
	for host, status := range map[string]int{
		"127.0.0.1:8080": 200, "localhost:9999": 200, "localhost": 200, "evil.example:8080": 421, "127.0.0.1.evil.example:1": 421, "localhost:x": 421,
	} {
		if answer, _ := w.do(request{path: "/sessions", host: host}); answer.StatusCode != status {
			t.Errorf("%s: status %d, want %d", host, answer.StatusCode, status)
		}
	}
}

// TestConnections opens more connections than the server takes, none of which says anything, and checks that the user still gets an answer.
func TestConnections(t *testing.T) {
	t.Parallel()
	w := serve(t, false, nil)
	w.talk(llm.Message{Role: llm.RoleUser, Content: marker})
	for range 1000 {
		c, err := net.Dial("tcp", w.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
	}
	if answer, body := w.do(request{path: "/sessions"}); answer.StatusCode != http.StatusOK || !strings.Contains(body, marker) {
		t.Errorf("status %d: %s", answer.StatusCode, body)
	}
}
