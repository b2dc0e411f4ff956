//go:build linux

package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// site is a running aura web.
type site struct {
	*harness.Aura

	// addr is what it listens on, and token what its requests need.
	addr, token string
}

// web starts aura web, which ends with the test.
func web(p *harness.Project) *site {
	p.T.Helper()
	cmd := p.Command("web")
	out, err := os.Create(p.Path("web.txt"))
	p.Check(err)
	cmd.Stdout = out
	p.Check(cmd.Start())
	p.Check(out.Close())
	s := &site{Aura: p.Running(cmd)}
	p.Await("web.txt", `#[0-9a-f]{64}\n`)
	found := regexp.MustCompile(`^http://(\S+)/#(\S+)\n$`).FindSubmatch(p.Read("web.txt"))
	if found == nil {
		p.T.Fatalf("aura web printed %s", p.Read("web.txt"))
	}
	s.addr, s.token = string(found[1]), string(found[2])
	return s
}

// page returns a page.
func (s *site) page(path string) string {
	s.T.Helper()
	q, err := http.NewRequestWithContext(s.T.Context(), http.MethodGet, "http://"+s.addr+path, nil)
	s.Check(err)
	q.Header.Set("Aura-Token", s.token)
	answer, err := http.DefaultClient.Do(q)
	s.Check(err)
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	s.Check(err)
	return string(body)
}

// asked returns what a command prints as JSON.
func asked(p *harness.Project, into any, args ...string) {
	p.T.Helper()
	cmd := p.Command(args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		p.T.Fatalf("%v: %s", err, errs.Bytes())
	}
	p.Check(json.Unmarshal(out.Bytes(), into))
}

// TestWeb compares the pages of a running session with the commands in a terminal, follows the session to its end, and ends the server.
func TestWeb(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	release := p.Held()
	s := web(p)
	var sessions []struct {
		ID, Title string
		Messages  int
		Live      struct {
			State     string
			For       []string
			Turn      int
			Context   int
			Limit     int `json:"context_limit"`
			TokensIn  int `json:"tokens_in"`
			TokensOut int `json:"tokens_out"`
		}
		Plugins map[string]int
	}
	asked(p, &sessions, "sessions", "--json")
	if len(sessions) != 1 || sessions[0].Live.State != "tool" || sessions[0].Plugins["busy"] != 1 || sessions[0].Plugins["ready"] != 1 {
		t.Fatalf("sessions --json: %+v", sessions)
	}
	now := sessions[0]
	figures := []string{
		now.ID, now.Title, fmt.Sprintf("running: runs a tool (%s)", strings.Join(now.Live.For, ", ")), fmt.Sprintf(`class="number">%d</td>`, now.Live.Turn),
		fmt.Sprintf("%d of %d tokens", now.Live.Context, now.Live.Limit), fmt.Sprintf("%d, %d", now.Live.TokensIn, now.Live.TokensOut), "1 busy, 1 ready",
		fmt.Sprintf(`class="number">%d</td>`, now.Messages), p.Dir,
	}
	page := s.page("/sessions")
	for _, want := range figures {
		if !strings.Contains(page, want) {
			t.Errorf("the list of sessions lacks %q: %s", want, page)
		}
	}

	var plugins []struct {
		Name, State, Session, Project string
		Pid, Restarts                 int
		P50                           int64 `json:"p50_us"`
	}
	asked(p, &plugins, "plugins", "top", "--once", "--json")
	page = s.page("/plugins")
	if len(plugins) != 2 {
		t.Fatalf("plugins top --json: %+v", plugins)
	}
	for _, plugin := range plugins {
		for _, want := range []string{
			">" + plugin.Name + "</a>", "\">" + plugin.State + "</span>", `"restarts" class="number">` + fmt.Sprint(plugin.Restarts), `"pid" class="number">` + fmt.Sprint(plugin.Pid), plugin.Session, plugin.Project,
		} {
			if !strings.Contains(page, want) {
				t.Errorf("the list of plugins lacks %q: %s", want, page)
			}
		}
	}

	var explained struct{ Turns []struct{ Turn int } }
	asked(p, &explained, "explain", "--json")
	page = s.page("/sessions/" + now.ID)
	if n := strings.Count(page, `<figure id="turn-`); n != len(explained.Turns) {
		t.Errorf("%d timelines for %d turns: %s", n, len(explained.Turns), page)
	}
	release()
	p.Until("the end of the session on the page", func() bool { return strings.Contains(s.page("/sessions/"+now.ID), `"state ended">done`) })
	s.Signal(os.Interrupt)
	if code := s.Wait(); code != 0 && code != 130 {
		t.Errorf("exit code %d", code)
	}
	p.NoTrace()
}
