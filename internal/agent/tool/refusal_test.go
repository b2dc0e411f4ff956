package tool_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
)

func TestRefusedBy(t *testing.T) {
	t.Parallel()
	no := errors.New("no")
	for rule, tt := range map[string]struct {
		err  error
		want string
	}{
		"success":         {tool.Refused(tool.ByHook, "h", nil), ""},
		"another failure": {no, ""},
		"a name":          {tool.Refused(tool.ByHook, "h", no), "hook h"},
		"no name":         {tool.Refused(tool.BySandbox, "", no), "sandbox"},
		"wrapped":         {fmt.Errorf("running: %w", tool.Refused(tool.BySeen, "", no)), "seen-file rule"},
		"the first wins":  {tool.Refused(tool.ByPolicy, "", tool.Refused(tool.ByUser, "", no)), "user"},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			if got := tool.RefusedBy(tt.err); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if tt.err != nil && !errors.Is(tt.err, no) {
				t.Errorf("%v lost its cause", tt.err)
			}
		})
	}
}
