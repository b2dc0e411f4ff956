//go:build linux

package screen

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"

	acp "github.com/coder/acp-go-sdk"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// newAsked returns a project whose model calls a tool of an MCP server that asks the user for a size and a name, and then a tool that asks the
// user to open a URL. The results of the tools are what the user answered.
func newAsked(t *testing.T) *harness.Project {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	add := func(name string, params *mcp.ElicitParams) {
		tool := &mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}
		server.AddTool(tool, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			answer, ok := r.Params.InputResponses["q"].(*mcp.ElicitResult)
			if !ok {
				return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"q": params}}, nil
			}
			text, err := json.Marshal(answer.Content)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: name + " " + answer.Action + " " + string(text)}}}, err
		})
	}
	add("order", &mcp.ElicitParams{Mode: "form", Message: "Which shirt?", RequestedSchema: map[string]any{
		"type": "object", "required": []any{"size", "name"},
		"properties": map[string]any{
			"size": map[string]any{"type": "string", "enum": []any{"S", "L"}},
			"name": map[string]any{"type": "string", "minLength": 3},
		},
	}})
	add("pay", &mcp.ElicitParams{Mode: "url", Message: "Please pay.", URL: "https://shop.example/pay", ElicitationID: "1"})
	service := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(service.Close)
	p := newStory(t, "  - tool_calls: [{name: mcp__shop__order, arguments: {}}]\n  - tool_calls: [{name: mcp__shop__pay, arguments: {}}]\n  - text: All done.\n")
	p.Write(".aura/config/mcp/shop.yaml", "shop: {url: '"+service.URL+"'}\n")
	return p
}

// TestElicitation answers and declines the questions of an MCP server on a terminal, on the screen and on the linear screen. Without a terminal
// they are declined.
func TestElicitation(t *testing.T) {
	t.Parallel()
	const accepted = `order accept \{"name":"Ann","size":"L"\}`
	t.Run("terminal", func(t *testing.T) {
		t.Parallel()
		p := newAsked(t)
		d := talk(p, "", "xterm", "run", "go")
		d.answer(`\? MCP server shop asks: Which shirt\?[\s\S]*1  S[\s\S]*2  L[\s\S]*\(1 of 2\) size, or /no: `, "3\n")
		d.answer(`! choose one of 1-2[\s\S]*size, or /no: `, "2\n")
		d.answer(`\(2 of 2\) name, or /no: `, "A\n")
		d.answer(`! [^\n]*minLength[\s\S]*name, or /no: `, "Ann\n")
		d.expect(accepted)
		d.answer(`to open in a browser: https://shop.example/pay[\s\S]*do you open it\? \[y\]es, \[N\]o: `, "n\n")
		d.expect(`pay decline null`)
		d.end(`All done`)
	})
	t.Run("screen", func(t *testing.T) {
		t.Parallel()
		p := newAsked(t)
		s := interactive(p, "go")
		s.shows(`\? MCP server shop asks: Which shirt\?`, `^Answer\?  \[1\] S  \[2\] L  \[n\] decline`)
		s.send("2")
		s.shows(`^Answer\?  \[a\] answer  \[n\] decline`)
		s.send("a")
		s.shows(`name \(Enter accepts`)
		s.send("Ann" + enter)
		s.shows(accepted, `to open in a browser: https://shop.example/pay`, `^Answer\?  \[y\] I open it  \[n\] decline`)
		s.send("y")
		s.shows(`pay accept null`, `^All done`)
		s.send(ctrlD)
		s.end()
	})
	t.Run("linear", func(t *testing.T) {
		t.Parallel()
		p := newAsked(t)
		s := interactive(p, "--plain")
		seen := 0
		for _, step := range []plainStep{
			{`You: $`, "go" + enter},
			{`MCP server shop asks: Which shirt\?[\s\S]*Answer 1-3: $`, "3" + enter},
			{`order decline null[\s\S]*shop.example/pay[\s\S]*Answer 1-2: $`, "1" + enter},
			{`pay accept null[\s\S]*All done\.\r\nYou: $`, ctrlD},
		} {
			pattern := regexp.MustCompile(step.shows)
			p.Until(step.shows, func() bool {
				at := pattern.FindIndex(s.received()[seen:])
				if at != nil {
					seen += at[1]
				}
				return at != nil
			})
			s.send(step.keys)
		}
		s.end()
	})
	t.Run("nobody", func(t *testing.T) {
		t.Parallel()
		p := newAsked(t)
		out, err := p.Command("run", "go").CombinedOutput()
		for _, want := range []string{`order decline null`, `pay decline null`, `MCP server "shop" asks for input: declined, because nobody can be asked here`, `All done`} {
			if err != nil || !regexp.MustCompile(want).Match(out) {
				t.Errorf("no %s: %v\n%s", want, err, out)
			}
		}
	})
}

// TestACPElicitation answers the questions of an MCP server in an editor: by permission requests without forms, and by forms.
func TestACPElicitation(t *testing.T) {
	t.Parallel()
	permit := func(t *testing.T, asked *[]string) func(context.Context, acp.RequestPermissionRequest) string {
		t.Helper()
		return func(_ context.Context, r acp.RequestPermissionRequest) string {
			*asked = append(*asked, *r.ToolCall.Title)
			if len(r.Options) < 2 || r.Options[len(r.Options)-1].OptionId != "reject" {
				t.Errorf("asked %+v", r.Options)
			}
			return "0"
		}
	}
	t.Run("without forms", func(t *testing.T) {
		t.Parallel()
		p := newAsked(t)
		e := p.Edit()
		var asked []string
		e.Permit = permit(t, &asked)
		id := e.Open()
		e.Prompt(id, "go")
		e.Shows(id, `order decline null`, `pay accept null`)
		e.Quit()
		if len(asked) != 2 {
			t.Errorf("asked %v", asked)
		}
	})
	t.Run("forms", func(t *testing.T) {
		t.Parallel()
		p := newAsked(t)
		e := p.EditWith(acp.ClientCapabilities{Elicitation: &acp.ElicitationCapabilities{Form: &acp.ElicitationFormCapabilities{}}})
		answers, messages := []string{"L", "A", "Ann"}, 0
		e.Fill = func(message string) string {
			if messages++; messages == 1 && message != "MCP server shop asks: Which shirt?" {
				t.Errorf("asked %q", message)
			}
			return answers[messages-1]
		}
		var asked []string
		e.Permit = permit(t, &asked)
		id := e.Open()
		e.Prompt(id, "go")
		e.Shows(id, `order accept`, `Ann`, `pay accept null`)
		e.Quit()
		if len(asked) != 1 || messages != 3 {
			t.Errorf("asked %v and %d times by a form", asked, messages)
		}
	})
}
