package hooks

import (
	"testing"

	"github.com/idelchi/aura/internal/agent/foreign"
)

// TestForeignEvents checks that the table of foreign names has every event that Claude Code has, with its name.
func TestForeignEvents(t *testing.T) {
	t.Parallel()
	for _, m := range moments {
		want := m.event
		if want == EventPluginState {
			want = ""
		}
		if got, _ := foreign.EventIn(foreign.Claude, m.name); got != want {
			t.Errorf("%s is %q, not %q", m.name, got, want)
		}
	}
}
