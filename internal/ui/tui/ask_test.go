package tui

import (
	"testing"

	"github.com/idelchi/aura/internal/agent/policy"
)

// TestAskAccess checks what questions about accesses show, and which answers they have. The pattern of a host can be edited, that of a path
// cannot.
func TestAskAccess(t *testing.T) {
	t.Parallel()
	host := policy.Call{Tool: policy.HostTool, Host: "a.example:443"}
	path := policy.Call{Tool: policy.ReadTool, Path: "/a"}
	access := policy.Access{What: "connect\nto a", Why: []string{"for Bash: curl\nx", "why"}}
	for name, row := range map[string]struct {
		about           policy.Call
		pattern         string
		grant, outside  bool
		keys, withField string
	}{
		"host":           {host, "sandbox.network:a.example:443", true, false, "ysanr", "sar"},
		"host or all":    {host, "sandbox.network:a.example:443", true, true, "ysaonr", "sar"},
		"path":           {path, "sandbox.read:/a", true, false, "ysanr", "r"},
		"path or all":    {path, "sandbox.read:/a", true, true, "ysaonr", "r"},
		"no pattern":     {path, "", true, true, "yonr", "r"},
		"nothing but it": {path, "", false, true, "onr", "r"},
	} {
		access := access
		access.Grant, access.Outside = row.grant, row.outside
		q := policy.Question{Tool: row.about.Tool, Rule: "x", By: "x", Pattern: row.pattern, About: row.about, Access: &access}
		about, by, choices, err := approval(q)
		if err != nil || about != "connect to a" || by != "for Bash: curl x\nwhy" || titleOf(q) != "Allow it?" {
			t.Errorf("%s: got %q, %q, %q, %v", name, about, by, titleOf(q), err)
		}
		var keys, fields string
		for _, c := range choices {
			keys += c.key
			if c.field != "" {
				fields += c.key
			}
			if c.check != nil && (c.check("sandbox.network:*.example") != nil || c.check("sandbox.network:b.example") == nil) {
				t.Errorf("%s: answer %s takes another pattern", name, c.key)
			}
		}
		if keys != row.keys || fields != row.withField {
			t.Errorf("%s: the answers are %s, with texts %s", name, keys, fields)
		}
		for key, want := range map[string]policy.Answer{
			"s": {Decision: policy.Session, Pattern: row.pattern}, "a": {Decision: policy.Always, Pattern: row.pattern},
			"o": {Decision: policy.Outside}, "n": {}, "": {},
		} {
			if got := answerOf(q, reply{key: key}); got != want {
				t.Errorf("%s: key %q is %+v", name, key, got)
			}
		}
	}
}
