package session_test

import (
	"testing"

	"github.com/idelchi/aura/internal/session"
)

func TestComplete(t *testing.T) {
	t.Parallel()
	const (
		meta   = `{"meta":{"id":"x"}}` + "\n"
		user   = `{"message":{"role":"user","content":"a"}}` + "\n"
		calls  = `{"message":{"role":"assistant","tool_calls":[{"id":"1"},{"id":"2"}]}}` + "\n"
		first  = `{"message":{"role":"tool","tool_call_id":"1"}}` + "\n"
		second = `{"message":{"role":"tool","tool_call_id":"2"}}` + "\n"
		seen   = `{"seen":{}}` + "\n"
	)
	for name, tt := range map[string]struct{ journal, want string }{
		"empty":          {"", ""},
		"whole":          {meta + user + calls + first + second + seen, meta + user + calls + first + second + seen},
		"calls open":     {meta + user + calls, meta + user},
		"one call open":  {meta + user + calls + first + seen, meta + user},
		"torn":           {meta + user + `{"mess`, meta + user},
		"torn, in calls": {meta + user + calls + first + second[:9], meta + user},
	} {
		if got := string(session.Complete([]byte(tt.journal))); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}
