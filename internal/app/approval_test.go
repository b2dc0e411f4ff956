package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/setup"
)

// always is a front end that answers Session, and records for each call whether it was asked.
type always struct {
	asked bool
	asks  []bool
}

func (f *always) Event(e event.Event) {
	if _, ok := e.(event.ToolCall); ok {
		f.asks = append(f.asks, f.asked)
		f.asked = false
	}
}

func (f *always) Ask(_ context.Context, q setup.Question) (setup.Answer, error) {
	f.asked = true
	return setup.Answer{Decision: setup.Session, Pattern: q.Pattern}, nil
}

// TestAlways checks what the answer Session covers: for each call, whether the user is asked.
func TestAlways(t *testing.T) {
	t.Parallel()
	bash := func(command string) string { return "{name: Bash, arguments: {command: '" + command + "'}}" }
	write := func(path string) string { return "{name: Write, arguments: {path: " + path + ", content: x}}" }
	patch := func(paths ...string) string {
		text := "*** Begin Patch\\n"
		for _, path := range paths {
			text += "*** Add File: " + path + "\\n+x\\n"
		}
		return `{name: Patch, arguments: {patch: "` + text + `*** End Patch"}}`
	}
	for name, row := range map[string]struct {
		rules string
		calls []string
		asks  []bool
	}{
		"the same command":  {"confirm: ['Bash:touch *']", []string{bash("touch a"), bash("touch a")}, []bool{true, false}},
		"another command":   {"confirm: ['Bash:touch *']", []string{bash("touch a"), bash("touch a b")}, []bool{true, true}},
		"a longer line":     {"confirm: ['Bash:touch *']", []string{bash("touch a"), bash("touch a; touch b")}, []bool{true, true}},
		"a denied one":      {"confirm: ['Bash:touch *'], deny: ['Bash:*evil*']", []string{bash("touch a"), bash("touch evil")}, []bool{true, false}},
		"the directory":     {"confirm: [Write]", []string{write("a/x"), write("a/y"), write("./a/../a/z")}, []bool{true, false, false}},
		"below it":          {"confirm: [Write]", []string{write("a/x"), write("a/b/y")}, []bool{true, true}},
		"above it":          {"confirm: [Write]", []string{write("a/x"), write("y")}, []bool{true, true}},
		"a link out of it":  {"confirm: [Write]", []string{write("here"), write("link/x"), write("there")}, []bool{true, true, false}},
		"denied in it":      {"confirm: [Write], deny: ['Write:*.env']", []string{write("a/x"), write("a/b.env")}, []bool{true, false}},
		"another tool":      {"confirm: [Write, Patch]", []string{write("a/x"), patch("a/y")}, []bool{true, true}},
		"two directories":   {"confirm: [Patch]", []string{patch("a/x", "b/x"), patch("a/y"), patch("b/y", "c/y")}, []bool{true, false, true}},
		"the same argument": {"confirm: [Ls]", []string{"{name: Ls, arguments: {path: .}}", "{name: Ls, arguments: {path: .}}", "{name: Ls, arguments: {}}"}, []bool{true, false, true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, map[string]string{
				".aura/config/features/tools.yaml": "tools: {policy: {" + row.rules + "}}\n",
				".aura/config/talk.yaml":           "turns:\n  - tool_calls: [" + strings.Join(row.calls, ", ") + "]\n  - text: Done.\n",
				"elsewhere/x":                      "x",
			})
			if err := os.Symlink("elsewhere", filepath.Join(p.dir, "link")); err != nil {
				t.Fatal(err)
			}
			front := &always{}
			session, err := Open(t.Context(), p.o, front)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(session.Send(t.Context(), "go"), session.Close(ReasonOf(t.Context(), nil))); err != nil {
				t.Error(err)
			}
			if !slices.Equal(front.asks, row.asks) {
				t.Errorf("asked %v, want %v", front.asks, row.asks)
			}
		})
	}
}
