//go:build linux

package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/plugin/manifest"
)

// site is a running aura web.
type site struct {
	*harness.Aura

	// addr is what it listens on, and token what its requests need.
	addr, token string
}

// web starts aura web, which ends with the test.
func web(p *harness.Project, args ...string) *site {
	p.T.Helper()
	return serving(p, p.Command(append([]string{"web"}, args...)...))
}

// serving starts a command that is aura web.
func serving(p *harness.Project, cmd *exec.Cmd) *site {
	p.T.Helper()
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

// crashing is a plugin whose process dies in its first call.
var crashing = harness.Source(`func BeforeChat(ctx context.Context, _ sdk.BeforeChatContext) (sdk.Result, error) {
	go func() { panic("no luck today") }()
	<-ctx.Done()
	return sdk.Result{}, nil
}`)

// TestWebPlugin opens the page of a plugin that crashed: its requests and grants are those of plugins show, and its crash has the stack and the
// source at the place.
func TestWebPlugin(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	p.Plugin("bad", "env: [DEPLOY_KEY]\n", crashing)
	release := p.Held()
	defer release()
	p.Aura("trust")
	s := web(p)
	var shown struct {
		Requested, Granted manifest.Asks
		Files              []string
	}
	asked(p, &shown, "plugins", "show", "bad", "--json")
	if len(shown.Requested.List()) == 0 {
		t.Fatalf("plugins show: %+v", shown)
	}
	address := regexp.MustCompile(`href="(/plugins/[0-9a-f]+)">bad</a>`).FindStringSubmatch(s.page("/plugins"))
	if address == nil {
		t.Fatal("the list has no plugin bad")
	}
	page := s.page(address[1])
	requested, rest, _ := strings.Cut(page, "<dt>granted</dt>")
	_, requested, _ = strings.Cut(requested, `<div id="rights-of">`)
	granted, crashes, _ := strings.Cut(rest, `<div id="crashes">`)
	for part, want := range map[string][]string{requested: shown.Requested.List(), granted: shown.Granted.List()} {
		if strings.Count(part, "<li>") != len(want) {
			t.Errorf("want %q in %s", want, part)
		}
		for _, right := range want {
			if !strings.Contains(part, "<li>"+template.HTMLEscapeString(right)+"</li>") {
				t.Errorf("no %q in %s", right, part)
			}
		}
	}
	for _, want := range []string{"panic: no luck today", "<h4>main.go:13</h4>", `&gt; 13  	go func() { panic(&#34;no luck today&#34;) }()`} {
		if !strings.Contains(crashes, want) {
			t.Errorf("no %q in %s", want, crashes)
		}
	}
}
