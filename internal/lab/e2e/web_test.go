//go:build linux

package e2e

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
)

// site is a running aura web.
type site struct {
	*aura

	// addr is what it listens on, and token what its requests need.
	addr, token string
}

// web starts aura web, which ends with the test.
func (p *project) web() *site {
	p.t.Helper()
	cmd := p.command("web")
	out, err := os.Create(p.path("web.txt"))
	p.check(err)
	cmd.Stdout = out
	p.check(cmd.Start())
	p.check(out.Close())
	s := &site{aura: p.running(cmd)}
	p.await("web.txt", `#[0-9a-f]{64}\n`)
	found := regexp.MustCompile(`^http://(\S+)/#(\S+)\n$`).FindSubmatch(p.read("web.txt"))
	if found == nil {
		p.t.Fatalf("aura web printed %s", p.read("web.txt"))
	}
	s.addr, s.token = string(found[1]), string(found[2])
	return s
}

// page returns a page.
func (s *site) page(path string) string {
	s.t.Helper()
	q, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, "http://"+s.addr+path, nil)
	s.check(err)
	q.Header.Set("Aura-Token", s.token)
	answer, err := http.DefaultClient.Do(q)
	s.check(err)
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	s.check(err)
	return string(body)
}

// asked returns what a command prints as JSON.
func (p *project) asked(into any, args ...string) {
	p.t.Helper()
	cmd := p.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		p.t.Fatalf("%v: %s", err, errs.Bytes())
	}
	p.check(json.Unmarshal(out.Bytes(), into))
}

// TestWeb compares the pages of a running session with the commands in a terminal, follows the session to its end, and ends the server.
func TestWeb(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	release := p.held()
	s := p.web()
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
	p.asked(&sessions, "sessions", "--json")
	if len(sessions) != 1 || sessions[0].Live.State != "tool" || sessions[0].Plugins["busy"] != 1 || sessions[0].Plugins["ready"] != 1 {
		t.Fatalf("sessions --json: %+v", sessions)
	}
	now := sessions[0]
	figures := []string{
		now.ID, now.Title, fmt.Sprintf("running: runs a tool (%s)", strings.Join(now.Live.For, ", ")), fmt.Sprintf(`class="number">%d</td>`, now.Live.Turn),
		fmt.Sprintf("%d of %d tokens", now.Live.Context, now.Live.Limit), fmt.Sprintf("%d, %d", now.Live.TokensIn, now.Live.TokensOut), "1 busy, 1 ready",
		fmt.Sprintf(`class="number">%d</td>`, now.Messages), p.dir,
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
	p.asked(&plugins, "plugins", "top", "--once", "--json")
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
	p.asked(&explained, "explain", "--json")
	page = s.page("/sessions/" + now.ID)
	if n := strings.Count(page, `<figure id="turn-`); n != len(explained.Turns) {
		t.Errorf("%d timelines for %d turns: %s", n, len(explained.Turns), page)
	}
	release()
	p.until("the end of the session on the page", func() bool { return strings.Contains(s.page("/sessions/"+now.ID), `"state ended">done`) })
	s.signal(os.Interrupt)
	if code := s.wait(); code != 0 && code != 130 {
		t.Errorf("exit code %d", code)
	}
	p.noTrace()
}
