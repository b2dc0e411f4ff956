package conversation

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
)

// story turns bytes into messages: prompts, answers, calls and results in any order.
func story(script []byte) []llm.Message {
	var out []llm.Message
	for i, b := range script {
		id := fmt.Sprint("id", b>>4&3)
		switch b % 5 {
		case 0:
			out = append(out, llm.Message{Role: llm.RoleUser, Content: "u"})
		case 1:
			out = append(out, llm.Message{Role: llm.RoleAssistant, Content: "a"})
		case 2:
			out = append(out, llm.Message{Role: llm.RoleTool, ToolCallID: id, Content: "r"})
		case 3:
			out = append(out, llm.Message{Role: llm.RoleSystem, Content: "s"})
		default:
			m := llm.Message{Role: llm.RoleAssistant}
			for n := range int(b>>6) + 1 {
				m.ToolCalls = append(m.ToolCalls, llm.ToolCall{ID: fmt.Sprint("id", n), Name: fmt.Sprint("tool", i)})
			}
			out = append(out, m)
		}
	}
	return out
}

// checkHistory fails unless the results of each call follow it directly, each call has a result, and each result has a call.
func checkHistory(t *testing.T, entries []entry) {
	t.Helper()
	open := map[string]bool{}
	for i, e := range entries {
		switch {
		case e.Role == llm.RoleTool && !open[e.ToolCallID]:
			t.Errorf("message %d is a result of nothing", i)
		case e.Role == llm.RoleTool:
			delete(open, e.ToolCallID)
		case len(open) > 0:
			t.Errorf("message %d stands between a call and its result", i)
		case e.Role == llm.RoleSystem:
			t.Errorf("message %d is a system prompt", i)
		}
		for _, call := range e.ToolCalls {
			open[call.ID] = true
		}
	}
	if len(open) > 0 {
		t.Errorf("calls without a result: %v", open)
	}
}

func FuzzRepaired(f *testing.F) {
	for _, seed := range [][]byte{nil, {0, 1}, {0, 4, 2, 1}, {0, 68, 2}, {4, 4}, {2, 3, 0}, {0, 196, 50, 34, 2, 18, 1}} {
		f.Add(seed, 2)
	}
	f.Fuzz(func(t *testing.T, script []byte, keep int) {
		entries, missing := repaired(story(script))
		for _, m := range missing {
			entries = append(entries, entry{Message: m})
		}
		checkHistory(t, entries)

		h := history{ids: map[string]int{}}
		h.reset(entries)
		at := h.cut(keep)
		if at < 0 || at > len(entries) || keep > 0 && len(entries)-at < min(keep, len(entries)) {
			t.Fatalf("%d of %d are cut off, %d are to be kept", at, len(entries), keep)
		}
		checkHistory(t, entries[at:])
	})
}

func FuzzPatchedFiles(f *testing.F) {
	for _, seed := range []string{"", "*** Update File: a.go\n", "*** Add File: ../b\r\n", "*** Update File: \n", "*** Update File: /x/y\n+*** Add File: z"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, patch string) {
		workdir := filepath.FromSlash("/somewhere/else")
		for i, path := range patchedFiles("Patch", map[string]any{"patch": patch}, workdir) {
			if path == "" || i > strings.Count(patch, "File: ") {
				t.Errorf("%q is no path", path)
			}
		}
		if got := patchedFiles("Write", map[string]any{"path": filepath.Join(workdir, "a", "b")}, workdir); filepath.IsAbs(workdir) && got[0] != "a/b" {
			t.Errorf("got %q", got)
		}
	})
}
