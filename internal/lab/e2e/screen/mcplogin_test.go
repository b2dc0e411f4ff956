//go:build linux

package screen

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/agent/mcpauth/authtest"
	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// guarded is a project with an MCP server that wants a login.
type guarded struct {
	*harness.Project
	*authtest.Authority
}

func newGuarded(t *testing.T) guarded {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "web", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "now", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "noon"}}}, nil
	})
	g := guarded{
		newStory(t, "  - tool_calls: [{name: mcp__web__now, arguments: {}}]\n  - text: All done.\n"),
		authtest.New(t, "", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)),
	}
	g.Write(".aura/config/mcp/web.yaml", "web: {url: '"+g.MCP()+"'}\n")
	return g
}

// output returns what a command prints.
func (g guarded) output(args ...string) string {
	g.T.Helper()
	out, err := g.Command(args...).CombinedOutput()
	if err != nil {
		g.T.Errorf("aura %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// logins returns the files of logins.
func (g guarded) logins() []string {
	g.T.Helper()
	files, err := filepath.Glob(filepath.Join(g.StateHome, "aura", "logins", "*.json"))
	g.Check(err)
	return files
}

// page matches the address of a login.
var page = regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+/authorize\?[!-~]+`)

// elsewhere opens the address that aura showed in a browser on another machine, and returns the address at which it ends.
func (g guarded) elsewhere(shown []byte) string {
	g.T.Helper()
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := c.Get(string(page.Find(shown)))
	g.Check(err)
	g.Check(resp.Body.Close())
	return resp.Header.Get("Location")
}

// TestMCPLogin logs in to an MCP server with a browser of this machine and of another one, by the command, on the screen and on the linear screen.
func TestMCPLogin(t *testing.T) {
	t.Parallel()
	const connected = `web\s+connected; mcp__web__now`
	t.Run("command", func(t *testing.T) {
		t.Parallel()
		g := newGuarded(t)
		if out, err := g.Command("mcp").CombinedOutput(); err == nil || !strings.Contains(string(out), "needs login: log in with aura mcp login web") {
			t.Errorf("got %v\n%s", err, out)
		}
		g.Wants([]byte(g.output("doctor")), `(?m)^  warning  web: it needs a login.*\n +fix: log in with aura mcp login web$`)
		d := talk(g.Project, "", "xterm", "mcp", "login", "web")
		d.expect(`paste the address at which it ends:`)
		d.answer("", "http://127.0.0.1:1/callback?code=x&state=y\n")
		d.answer(`this is not the answer to this login`, g.elsewhere(d.Stderr())+"\n")
		d.end(`logged in to web`)
		if len(g.logins()) != 1 {
			t.Errorf("logins: %v", g.logins())
		}
		g.Wants([]byte(g.output("mcp")), `web +http .*connected +mcp__web__now`)
		g.Wants([]byte(g.output("doctor")), `(?m)^  ok +web: connected, tools: 1$`)
	})
	t.Run("interrupted", func(t *testing.T) {
		t.Parallel()
		g := newGuarded(t)
		d := talk(g.Project, "", "xterm", "mcp", "login", "web")
		d.answer(`paste the address at which it ends:`, ctrlC)
		if code := d.Wait(); code == 0 || len(g.logins()) > 0 {
			t.Errorf("exit code %d, and %v", code, g.logins())
		}
		d.NoTrace()
	})
	t.Run("screen", func(t *testing.T) {
		t.Parallel()
		g := newGuarded(t)
		s := startScreen(g.Project, g.Command(), 900, 24).ready()
		s.send("/mcp login web" + enter)
		s.shows(`MCP server web asks: a login`, `^Answer\?  \[a\] answer  \[n\] decline`)
		s.send("a")
		s.shows(`address \(Enter accepts`)
		s.send(pasteStart + g.elsewhere(s.received()) + pasteEnd + enter)
		s.shows(connected)
		s.send("go" + enter)
		s.shows(`noon`, `^All done`)
		s.send(ctrlD)
		s.end()
	})
	t.Run("browser of this machine", func(t *testing.T) {
		t.Parallel()
		g := newGuarded(t)
		s := startScreen(g.Project, g.Command(), 900, 24).ready()
		s.send("/mcp login web" + enter)
		s.shows(`^Answer\?  \[a\] answer  \[n\] decline`)
		s.send("n")
		s.shows(`→ decline`)
		resp, err := http.Get(string(page.Find(s.received())))
		g.Check(err)
		g.Check(resp.Body.Close())
		s.shows(connected)
		s.hides(`^Answer\?`)
		s.send(ctrlD)
		s.end()
	})
	t.Run("linear", func(t *testing.T) {
		t.Parallel()
		g := newGuarded(t)
		s := startScreen(g.Project, g.Command("--plain"), 900, 24)
		seen := 0
		for _, step := range []struct {
			shows string
			keys  func() string
		}{
			{`You: $`, func() string { return "/mcp login web" + enter }},
			{`asks: a login[\s\S]*Answer 1-2: $`, func() string { return "1" + enter }},
			{`address[^\n]*: $`, func() string { return g.elsewhere(s.received()) + enter }},
			{connected + `[\s\S]*You: $`, func() string { return ctrlD }},
		} {
			pattern := regexp.MustCompile(step.shows)
			g.Until(step.shows, func() bool {
				at := pattern.FindIndex(s.received()[seen:])
				if at != nil {
					seen += at[1]
				}
				return at != nil
			})
			s.send(step.keys())
		}
		s.end()
	})
}

// TestTwoAurasRefresh lets two processes refresh one login at once. The authorization server ends the login if a refresh token is used twice.
func TestTwoAurasRefresh(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	d := talk(g.Project, "", "xterm", "mcp", "login", "web")
	d.expect(`paste the address at which it ends:`)
	resp, err := http.Get(string(page.Find(d.Stderr())))
	g.Check(err)
	g.Check(resp.Body.Close())
	d.end(`logged in to web`)
	refused := g.Counts().Refused
	g.Expire()
	hold := make(chan struct{})
	g.Hold(hold)
	const auras = 2
	var started []*exec.Cmd
	var outputs []*os.File
	for range auras {
		cmd := g.Command("run", "go")
		out, err := os.CreateTemp(t.TempDir(), "out")
		g.Check(err)
		cmd.Stdout, cmd.Stderr = out, out
		g.Check(cmd.Start())
		started, outputs = append(started, cmd), append(outputs, out)
	}
	g.Until("both to be refused", func() bool { return g.Counts().Refused >= refused+auras })
	close(hold)
	for i, cmd := range started {
		err := cmd.Wait()
		out, _ := os.ReadFile(outputs[i].Name())
		if err != nil || !strings.Contains(string(out), "noon") {
			t.Errorf("got %v\n%s", err, out)
		}
	}
	if got := g.Counts(); got.Refreshed != 1 || got.Reused != 0 {
		t.Errorf("got %+v", got)
	}
	g.NoTrace()
}
