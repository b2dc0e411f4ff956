package policy_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/policy"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	bash := func(line string) map[string]any { return map[string]any{"command": line} }
	rules := policy.Rules{
		Auto:    []string{"Bash:git status*", "Bash:ls*", "Write"},
		Confirm: []string{"Bash:git push*", "Write:*.env", "mcp__web__*"},
		Deny:    []string{"Bash:git push --force*", "Patch", "Bash:shutdown"},
	}
	rows := []struct {
		name, tool string
		args       map[string]any
		action     policy.Action
		rule       string
	}{
		{"nothing names it", "Read", nil, policy.Auto, ""},
		{"the name alone", "Patch", nil, policy.Deny, "Patch"},
		{"confirm by what it is about", "Bash", bash("git push origin main"), policy.Confirm, "Bash:git push*"},
		{"deny goes before confirm", "Bash", bash("git push --force origin"), policy.Deny, "Bash:git push --force*"},
		{"confirm goes before auto", "Write", map[string]any{"path": "x/.env", "content": ""}, policy.Confirm, "Write:*.env"},
		{"auto", "Write", map[string]any{"path": "a.go"}, policy.Auto, "Write"},
		{"auto by command", "Bash", bash("git status"), policy.Auto, "Bash:git status*"},
		{"wildcard in the name", "mcp__web__fetch", nil, policy.Confirm, "mcp__web__*"},
		{"a pattern is all of the command", "Bash", bash("echo shutdown"), policy.Auto, ""},
		{"later command of a list", "Bash", bash("cd src && git push"), policy.Confirm, "Bash:git push*"},
		{"in a pipe", "Bash", bash("echo y | git push --force"), policy.Deny, "Bash:git push --force*"},
		{"in a substitution", "Bash", bash("echo $(shutdown)"), policy.Deny, "Bash:shutdown"},
		{"in a subshell", "Bash", bash("(shutdown)"), policy.Deny, "Bash:shutdown"},
		{"behind a variable", "Bash", bash("FORCE=1 shutdown"), policy.Deny, "Bash:shutdown"},
		{"in quotes", "Bash", bash(`"shut"'down'`), policy.Deny, "Bash:shutdown"},
		{"with a backslash", "Bash", bash(`shut\down`), policy.Deny, "Bash:shutdown"},
		{"with more blanks", "Bash", bash("git   push"), policy.Confirm, "Bash:git push*"},
		{"auto wants every command to fit", "Bash", bash("ls; make"), policy.Auto, ""},
		{"auto, all of them", "Bash", bash("ls; ls -l"), policy.Auto, "Bash:ls*"},
		{"a line that does not parse", "Bash", bash("git push ("), policy.Confirm, "Bash:git push*"},
		{"no command at all", "Bash", nil, policy.Auto, ""},
		{"a rule of Bash is not one of others", "Note", bash("git push"), policy.Auto, ""},
	}
	p, err := policy.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if got := p.Decide(row.tool, row.args); got.Action != row.action || got.Rule != row.rule {
			t.Errorf("%s: got %+v, want %s by %q", row.name, got, row.action, row.rule)
		}
	}
}

// TestPaths checks that a rule about a path matches every spelling of the path.
func TestPaths(t *testing.T) {
	t.Parallel()
	workdir := t.TempDir()
	outside := filepath.Join(filepath.Dir(workdir), "other", "file")
	p, err := policy.New(policy.Rules{Deny: []string{"*:secret*", "*:" + outside}})
	if err != nil {
		t.Fatal(err)
	}
	p = p.In(workdir)
	path := func(path string) map[string]any { return map[string]any{"path": path, "content": "a\nb"} }
	patch := func(head string) map[string]any {
		return map[string]any{"patch": "*** Begin Patch\n" + head + "\n+x\n*** End Patch"}
	}
	for name, row := range map[string]struct {
		tool string
		args map[string]any
		want policy.Action
	}{
		"as it is":         {"Write", path("secret.txt"), policy.Deny},
		"with a dot":       {"Write", path("./secret.txt"), policy.Deny},
		"through another":  {"Write", path("sub/../secret.txt"), policy.Deny},
		"absolute":         {"Write", path(filepath.Join(workdir, "secret.txt")), policy.Deny},
		"absolute, around": {"Write", path(workdir + "/x/.././secret.txt"), policy.Deny},
		"elsewhere":        {"Write", path("sub/secret.txt"), policy.Auto},
		"relative":         {"Read", path("../other/file"), policy.Deny},
		"outside":          {"Read", path(outside), policy.Deny},
		"in a list":        {"Mine", map[string]any{"files": []any{"a", map[string]any{"b": "./secret"}}}, policy.Deny},
		"text of lines":    {"Write", map[string]any{"path": "a", "content": "./secret\n"}, policy.Auto},
		"patched":          {"Patch", patch("*** Update File: ./secret.txt"), policy.Deny},
		"added":            {"Patch", patch("*** Add File: x/../secret.txt\r"), policy.Deny},
		"deleted":          {"Patch", patch("*** Update File: a\n@@\n-x\n*** Delete File: secret.txt"), policy.Deny},
		"moved":            {"Patch", patch("*** Update File: a\n*** Move to: secret.txt"), policy.Deny},
		"in its text":      {"Patch", patch("*** Update File: a\n+secret"), policy.Auto},
	} {
		if got := p.Decide(row.tool, row.args); got.Action != row.want {
			t.Errorf("%s: got %+v, want %s", name, got, row.want)
		}
	}
}

func TestLayers(t *testing.T) {
	t.Parallel()
	p, err := policy.New(policy.Rules{Deny: []string{"Bash"}}, policy.Rules{Auto: []string{"Bash"}, Confirm: []string{"Write"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Decide("Bash", nil).Action; got != policy.Deny {
		t.Errorf("a later layer allowed what an earlier one denies: %s", got)
	}
	if got := p.Decide("Write", nil).Action; got != policy.Confirm {
		t.Errorf("got %s", got)
	}
	if list := p.Rules(); len(list) != 3 || list[0].Action != policy.Deny || list[2].Action != policy.Auto {
		t.Errorf("got %v", list)
	}
}

func TestBadRules(t *testing.T) {
	t.Parallel()
	for _, row := range []string{"", ":git push", "Bash:", "Bash:  "} {
		if _, err := policy.New(policy.Rules{Deny: []string{row}}); err == nil || !strings.Contains(err.Error(), "deny rule") {
			t.Errorf("%q: got %v", row, err)
		}
	}
}

// FuzzDecide checks that a rule for every call of Bash matches any line.
func FuzzDecide(f *testing.F) {
	for _, seed := range []string{"ls", "a && b", "$(x", "'", "\x00", "for i in 1; do x; done"} {
		f.Add(seed)
	}
	p, err := policy.New(policy.Rules{Deny: []string{"Bash:*"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if got := p.Decide("Bash", map[string]any{"command": line}); got.Action != policy.Deny {
			t.Errorf("%q: %+v", line, got)
		}
	})
}
