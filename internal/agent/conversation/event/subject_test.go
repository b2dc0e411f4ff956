package event_test

import (
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
)

// TestSubject checks how calls are described to users who watch them.
func TestSubject(t *testing.T) {
	t.Parallel()
	for want, args := range map[string]map[string]any{
		`echo "a  b" > x`:                   {"command": `echo "a  b" > x`, "timeout": 3.0},
		"a.txt":                             {"path": "a.txt", "content": "long"},
		"*.go":                              {"pattern": "*.go"},
		"a.txt, b c, d":                     {"patch": "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b c \n@@\n+*** Add File: no\n*** Delete File: d\n*** End Patch"},
		"<y>":                               {"x": "<y>"},
		"agent: helper, prompt: Look at it": {"prompt": "Look at it", "agent": "helper"},
		`deep: {"a":[1]}, n: 5, x: y`:       {"x": "y", "n": 5.0, "deep": map[string]any{"a": []any{1.0}}},
		"":                                  nil,
	} {
		if got := event.Subject(args); got != want {
			t.Errorf("%v: got %q, want %q", args, got, want)
		}
	}
}

// TestSubjectOfCall checks the description of calls whose arguments are not an object.
func TestSubjectOfCall(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{`{"path":"a"}`: "a", `[1]`: "[1]", `{`: "{", "": ""} {
		if got := (event.ToolCall{Name: "Read", Arguments: []byte(arguments)}).Subject(); got != want {
			t.Errorf("%s: got %q, want %q", arguments, got, want)
		}
	}
}
