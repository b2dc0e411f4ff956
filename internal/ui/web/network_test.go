package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/session"
)

// TestNetwork writes connections and refusals of two sessions, and checks the sums by session and host, the search, the page of one session,
// and that a new connection appears.
func TestNetwork(t *testing.T) {
	t.Parallel()
	w := serve(t, false, nil)
	j := w.talk(llm.Message{Role: llm.RoleUser, Content: "fetch it"})
	other := w.talk(llm.Message{Role: llm.RoleUser, Content: "another session"})
	now := time.Now()
	connect := func(j *session.Journal, host, verdict string, sent int64) {
		t.Helper()
		if err := j.Tell(session.Fact{
			Kind: session.FactNetwork, At: now, By: "Bash", Name: host, Outcome: verdict, Error: "the rule", Network: &session.Connection{Port: 443, Address: "192.0.2.1:443", Sent: sent, Received: 2 * sent},
		}); err != nil {
			t.Fatal(err)
		}
	}
	connect(j, "one.test", "allowed", 10)
	connect(j, "one.test", "allowed", 5)
	connect(j, "two.test", "refused", 0)
	connect(other, "one.test", "allowed", 7)
	for _, err := range []error{
		j.Tell(session.Fact{Kind: session.FactNetwork, At: now, Network: &session.Connection{Dropped: 12}}),
		j.Tell(session.Fact{Kind: session.FactRefused, At: now, By: "sandbox", Name: "Write", Error: "no grant for " + secret}),
		// What was recorded is on the disk with the next message at the latest.
		j.Append(llm.Message{Role: llm.RoleAssistant, Content: "done"}), other.Append(llm.Message{Role: llm.RoleAssistant, Content: "done"}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	_, page := w.do(request{path: "/network"})
	for _, want := range []string{
		`class="number">2</td>`, `class="number">15</td>`, `class="number">30</td>`, `<span class="state failed">refused</span>`, `class="number">12</td>`, "not listed", ">Write</td>", ">sandbox</td>",
		`href="/network/` + j.ID(), `href="/network/` + other.ID(),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s: %s", want, page)
		}
	}
	if strings.Contains(page, secret) || strings.Count(page, ">one.test</td>") != 2 {
		t.Errorf("the page shows %s", page)
	}
	if _, page = w.do(request{path: "/network?find=two.test+fetch"}); strings.Contains(page, "one.test</td>") || !strings.Contains(page, "two.test</td>") {
		t.Errorf("the search shows %s", page)
	}
	path := "/network/" + j.ID()
	if answer, page := w.do(request{path: path}); answer.StatusCode != http.StatusOK || strings.Count(page, ">192.0.2.1:443</td>") != 3 || !strings.Contains(page, ">the rule</td>") {
		t.Errorf("status %d: %s", answer.StatusCode, page)
	}
	if answer, _ := w.do(request{path: "/network/none"}); answer.StatusCode != http.StatusNotFound {
		t.Errorf("a session that is not there: status %d", answer.StatusCode)
	}
}
