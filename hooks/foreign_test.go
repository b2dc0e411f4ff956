package hooks

import (
	"testing"

	"github.com/idelchi/aura/internal/agent/foreign"
)

// TestForeignEvents checks that the table of foreign names has every event that Claude Code has, with its name.
func TestForeignEvents(t *testing.T) {
	t.Parallel()
	for _, m := range moments {
		want := m.name
		if m.event == EventPluginState {
			want = ""
		}
		if got := foreign.EventName(m.event); got != want {
			t.Errorf("%s is %q, not %q", m.event, got, want)
		}
		if got, _ := foreign.EventIn(foreign.Claude, want); want != "" && got != m.event {
			t.Errorf("%s is %q", want, got)
		}
	}
}
