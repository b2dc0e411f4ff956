package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/session"
)

// TestDiff checks that the result of a tool call shows what the call changed in files: each line with its sign and its class, at the result of
// this call alone, without secrets.
func TestDiff(t *testing.T) {
	t.Parallel()
	w := serve(t, false, nil)
	j := w.talk(llm.Message{Role: llm.RoleUser, Content: "edit it", CreatedAt: time.Now()})
	at := time.Now()
	diff := "--- a/x.go\n+++ b/x.go\n@@ -1,3 +1,3 @@\n same <b>\n-- not a file\n-old " + secret + "\n+new\n+++ added\n\\ No newline at end of file\n"
	for _, err := range []error{
		j.Tell(session.Fact{Kind: session.FactTurn, Turn: 1, At: at}),
		j.Append(llm.Message{Role: llm.RoleAssistant, CreatedAt: at.Add(time.Second), ToolCalls: []llm.ToolCall{{ID: "one", Name: "Edit"}, {ID: "two", Name: "Edit"}}}),
		j.Tell(session.Fact{Kind: session.FactFiles, Turn: 1, At: at.Add(time.Second), Name: "Edit", Call: "two", Changes: []session.Change{{Field: "files", Diff: diff}}}),
		j.Append(llm.Message{Role: llm.RoleTool, ToolName: "Edit", ToolCallID: "one", Content: "first", CreatedAt: at.Add(2 * time.Second)}),
		j.Append(llm.Message{Role: llm.RoleTool, ToolName: "Edit", ToolCallID: "two", Content: "second", CreatedAt: at.Add(3 * time.Second)}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	_, page := w.do(request{path: "/sessions/" + j.ID()})
	_, second, _ := strings.Cut(page, `id="m-3"`)
	for _, want := range []string{
		`<span class="file">--- a/x.go</span>`, `<span class="file">&#43;&#43;&#43; b/x.go</span>`, `<span class="hunk">@@ -1,3 &#43;1,3 @@</span>`, `<span> same &lt;b&gt;</span>`,
		`<span class="removed">-- not a file</span>`, `<span class="removed">-old [redacted]</span>`, `<span class="added">&#43;new</span>`, `<span class="added">&#43;&#43;&#43; added</span>`,
		`<span class="note">\ No newline at end of file</span>`,
	} {
		if !strings.Contains(second, want) {
			t.Errorf("no %s in %s", want, second)
		}
	}
	if strings.Count(page, `class="diff"`) != 1 || strings.Contains(page, secret) || !strings.Contains(page, "Edit changed files") {
		t.Errorf("the page shows %s", page)
	}
}
