package tui

import (
	"testing"

	"github.com/idelchi/aura/internal/agent/policy"
)

// TestAskConnection checks what the question about a connection shows, and which answers it has.
func TestAskConnection(t *testing.T) {
	t.Parallel()
	q := policy.Question{
		Tool: policy.HostTool, Args: map[string]any{"host": "a.example:443"}, Rule: policy.HostRule, By: "Bash: curl\nx", Pattern: "sandbox.network:a.example:443",
		About: policy.Call{Tool: policy.HostTool, Host: "a.example:443"},
	}
	about, by, choices, err := approval(q)
	if err != nil || about != "connect to a.example:443" || by != "for Bash: curl x" || titleOf(q) != "Allow it?" {
		t.Errorf("got %q, %q, %q, %v", about, by, titleOf(q), err)
	}
	var keys string
	for _, c := range choices {
		keys += c.key
		if c.check != nil && (c.check("sandbox.network:*.example") != nil || c.check("sandbox.network:b.example") == nil) {
			t.Errorf("answer %s takes another pattern", c.key)
		}
	}
	if keys != "ysanr" {
		t.Errorf("the answers are %s", keys)
	}
}

// TestBreakBetween checks where the row of the answers breaks.
func TestBreakBetween(t *testing.T) {
	t.Parallel()
	for want, row := range map[string]struct {
		parts []string
		width int
	}{
		"Run it?  [y] once  [n] no":       {[]string{"Run it?", "[y] once", "[n] no"}, 25},
		"Run it?  [y] once\n[n] no":       {[]string{"Run it?", "[y] once", "[n] no"}, 24},
		"Run it?\n[y] a very long one\nx": {[]string{"Run it?", "[y] a very long one", "x"}, 10},
		"":                                {nil, 10},
	} {
		if got := breakBetween(row.parts, row.width); got != want {
			t.Errorf("%q in %d columns: got %q, want %q", row.parts, row.width, got, want)
		}
	}
}
