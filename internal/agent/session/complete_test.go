package session_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/idelchi/aura/internal/agent/session"
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
		end    = `{"end":{"reason":"done"}}` + "\n"
	)
	for name, tt := range map[string]struct{ journal, want string }{
		"empty":          {"", ""},
		"whole":          {meta + user + calls + first + second + seen, meta + user + calls + first + second + seen},
		"calls open":     {meta + user + calls, meta + user},
		"one call open":  {meta + user + calls + first + seen, meta + user},
		"torn":           {meta + user + `{"mess`, meta + user},
		"torn, in calls": {meta + user + calls + first + second[:9], meta + user},
	} {
		if got, err := session.Complete([]byte(tt.journal), nil); err != nil || string(got) != tt.want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, tt.want)
		}
	}
	for name, tt := range map[string]struct {
		journal string
		want    any
	}{
		"running": {meta + user + calls, 7.0}, "ended": {meta + user + end, nil}, "continued": {meta + end + `{"resume":{}}` + "\n" + user, 7.0},
	} {
		got, err := session.Complete([]byte(tt.journal), 7)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "x"+session.Ext)
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := session.Load(path); err != nil || s.End == nil || s.End.Stats != tt.want {
			t.Errorf("%s: got %+v, %v from %q", name, s.End, err, got)
		}
	}
}
