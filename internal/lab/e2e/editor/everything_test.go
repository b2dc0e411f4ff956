//go:build linux

package editor

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"

	acp "github.com/coder/acp-go-sdk"
)

// everythingCalls asks for each kind of result, question and message that the official server has.
const everythingCalls = `  - tool_calls:
    - {name: mcp__every__echo, arguments: {message: hello}}
    - {name: mcp__every__get-tiny-image, arguments: {}}
    - {name: mcp__every__get-annotated-message, arguments: {messageType: success, includeImage: true}}
    - {name: mcp__every__get-resource-links, arguments: {count: 2}}
    - {name: mcp__every__get-structured-content, arguments: {location: New York}}
    - {name: mcp__every__trigger-long-running-operation, arguments: {duration: 1, steps: 4}}
    - {name: mcp__every__trigger-elicitation-request, arguments: {}}
    - {name: mcp__every__trigger-url-elicitation, arguments: {url: "https://example.com/a"}}
    - {name: mcp__every__trigger-url-elicitation, arguments: {url: "https://example.com/b", errorPath: true}}
    - {name: mcp__every__gzip-file-as-resource, arguments: {name: made.gz, data: "data:text/plain;base64,SGVsbG8="}}
    - {name: ReadResource, arguments: {server: every, uri: "demo://resource/dynamic/text/5"}}
    - {name: ReadResource, arguments: {server: every, uri: "demo://resource/dynamic/blob/6"}}
  - {text: Called.}
`

// everythingList asks for the resource that a call made. The server reports it, and aura lists the resources anew, beside the conversation.
const everythingList = `  - tool_calls: [{name: ListResources, arguments: {query: made.gz}}]
  - {text: Listed.}
`

// TestEverything uses the official server of the protocol in an editor: tools, images, links, structured results, progress, questions by form and by URL,
// prompts, resources, and lists that change.
func TestEverything(t *testing.T) {
	t.Parallel()
	npm := testneed.Program(t, "npm-registry")
	p := harness.NewProject(t)
	install := exec.CommandContext(t.Context(), npm, "install", "--no-audit", "--no-fund", "--silent", "@modelcontextprotocol/server-everything")
	install.Dir = p.Dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("installing the server: %v\n%s", err, out)
	}
	const program = "node_modules/@modelcontextprotocol/server-everything/dist/index.js"
	_, err := os.Stat(filepath.Join(p.Dir, program))
	p.Check(err)
	p.Write(".aura/config/mcp/every.yaml", "every: {command: node, args: ['"+program+"']}\n")
	plays(p, "")
	const lists = 200
	p.Write(".aura/config/talk.yaml", "model: {name: m, capabilities: [tools, vision]}\nturns:\n"+everythingCalls+strings.Repeat(everythingList, lists))
	able := acp.ClientCapabilities{Elicitation: &acp.ElicitationCapabilities{Form: &acp.ElicitationFormCapabilities{}}}
	e := p.EditWith(able)
	fields := 0
	e.Fill = func(string) string {
		if fields++; fields == 1 {
			return "Ann Lee" // the others are optional, or have defaults
		}
		return ""
	}
	urls := 0
	e.Permit = func(_ context.Context, r acp.RequestPermissionRequest) string {
		urls++
		return "0"
	}
	id := e.Open()
	e.Prompt(id, "go")
	const made = "every  demo://resource/session/made.gz"
	for range lists {
		if e.Prompt(id, "and then?"); strings.Contains(strings.Join(e.Seen(id), "\n"), made) {
			break
		}
	}
	e.Prompt(id, "/every:args-prompt city=Paris")
	e.Prompt(id, "look at @every:demo://resource/dynamic/text/9")
	e.Quit()
	if urls != 3 {
		t.Errorf("asked to open %d URLs, want 3: one, and before the other one another", urls)
	}
	raw, err := json.Marshal(p.Saved().Messages)
	p.Check(err)
	var messages []struct {
		Content string
		Parts   []struct{ Name string }
	}
	p.Check(json.Unmarshal(raw, &messages))
	var all, names []string
	for _, m := range messages {
		all = append(all, m.Content)
		for _, part := range m.Parts {
			names = append(names, part.Name)
		}
	}
	text := strings.Join(all, "\n")
	if got := strings.Join(names, ", "); got != "image-2 of result 2, image-2 of result 3" {
		t.Errorf("the model got the files %s", got)
	}
	for _, want := range []string{
		"Echo: hello", "[image, image/png, ", "[resource demo://resource/dynamic/", `"temperature":`, "Long running operation completed",
		`"name": "Ann Lee"`, `"integer": 42`, "URL: https://example.com/a", "URL: https://example.com/b",
		"Resource 5: This is a plaintext resource", "Resource 6: This is a base64 blob", made,
		"What's weather in Paris?", "Resource 9: This is a plaintext resource",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s in\n%s", want, text)
		}
	}
	out, err := p.Command("run", "go").CombinedOutput()
	p.Check(err)
	p.Wants(out, `trigger-long-running-operation: 1 of 4 \(25%\)`)
	p.Wants(out, `! MCP server "every" asks for input: declined, because nobody can be asked here`)
}
