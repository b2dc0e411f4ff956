//go:build linux

package editor

import (
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/agent/mcpauth/authtest"
	"github.com/idelchi/aura/internal/lab/e2e/harness"

	acp "github.com/coder/acp-go-sdk"
)

// TestACPLogin logs in to an MCP server in an editor that cannot ask for a text, with a browser of another machine and of this one.
func TestACPLogin(t *testing.T) {
	t.Parallel()
	server := mcp.NewServer(&mcp.Implementation{Name: "web", Version: "1"}, nil)
	authority := authtest.New(t, "", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	page := regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+/authorize\?[!-~]+`)
	p := harness.NewProject(t)
	plays(p, "  - {text: Hi.}\n")
	p.Write(".aura/config/mcp/web.yaml", "web: {url: '"+authority.MCP()+"'}\n")
	e := p.Edit()
	id := e.Open()
	stays := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	visit := func(c *http.Client) (end string) {
		pages := page.FindAllString(strings.Join(e.Seen(id), "\n"), -1)
		resp, err := c.Get(pages[len(pages)-1])
		p.Check(err)
		p.Check(resp.Body.Close())
		return resp.Header.Get("Location")
	}
	logins := func(want int) {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(p.StateHome, "aura", "logins", "*.json"))
		if err != nil || len(files) != want {
			t.Errorf("logins: %q, %v", files, err)
		}
	}

	e.Prompt(id, "/mcp login web http://127.0.0.1:1/callback?code=x&state=y")
	e.Shows(id, "no login waits for an address; enter /mcp login web first")

	// The browser runs elsewhere.
	ended := make(chan acp.StopReason, 1)
	go func() { ended <- e.Prompt(id, "/mcp login web") }()
	e.Shows(id, "no login waits", "open this address", "stop this prompt, and enter /mcp login web ADDRESS")
	e.Cancel(id)
	if got := <-ended; got != acp.StopReasonCancelled {
		t.Errorf("stopped by %s", got)
	}
	to := visit(stays)
	e.Prompt(id, "/mcp login web "+strings.Replace(to, "state=", "state=x", 1))
	e.Shows(id, "this is not the answer to this login")
	logins(0)
	e.Prompt(id, "/mcp login web "+to)
	e.Shows(id, "this is not the answer", "web  connected")
	logins(1)

	// The browser runs on this machine.
	e.Prompt(id, "/mcp logout web")
	logins(0)
	go func() { ended <- e.Prompt(id, "/mcp login web") }()
	e.Shows(id, "web  connected", "stop this prompt")
	visit(http.DefaultClient)
	if got := <-ended; got != acp.StopReasonEndTurn {
		t.Errorf("stopped by %s", got)
	}
	logins(1)

	// It ends after the prompt was stopped.
	e.Prompt(id, "/mcp logout web")
	go func() { ended <- e.Prompt(id, "/mcp login web") }()
	e.Shows(id, "web  connected", "stop this prompt", "stop this prompt")
	e.Cancel(id)
	<-ended
	visit(http.DefaultClient)
	e.Shows(id, `you are logged in to MCP server "web"; /mcp web connects to it`)
	e.Prompt(id, "/mcp login web "+to)
	e.Shows(id, "you are logged in", "no login waits for an address")
	logins(1)

	// A login that is open when the session ends leaves nothing.
	e.Prompt(id, "/mcp logout web")
	go func() { ended <- e.Prompt(id, "/mcp login web") }()
	e.Shows(id, "you are logged in", "stop this prompt")
	e.Cancel(id)
	<-ended
	e.Quit()
	logins(0)
}
