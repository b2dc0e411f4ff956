package machinepolicy

import (
	"strings"
	"testing"
	"time"
)

// TestPermits has, for each key, what a policy permits and what it refuses. A refusal names the rule and its line.
func TestPermits(t *testing.T) {
	t.Parallel()
	source := func(p *Policy, s string) error { return p.Source(s) }
	plugin := func(p *Policy, s string) error { name, origin, _ := strings.Cut(s, " "); return p.Plugin(name, origin) }
	server := func(p *Policy, s string) error { return p.Server("db", s, "", nil) }
	provider := func(p *Policy, s string) error { kind, at, _ := strings.Cut(s, " "); return p.Provider(kind, at) }
	for name, row := range map[string]struct {
		policy  string
		ask     func(p *Policy, s string) error
		permits []string
		refuses []string
	}{
		"sources": {
			"sources: [https://github.com/acme/*]", source,
			[]string{"https://github.com/acme/a", "https://GitHub.com/acme/a.git"},
			[]string{
				"", "/home/me/acme", "https://github.com/evil/a", "https://github.com.evil.com/acme/a", "https://github.com/acme/../evil/a", "https://github.com/acme/%2e%2e/evil/a",
				"https://github.com@evil.com/acme/a", "http://github.com/acme/a", "git@github.com:acme/a", `https://github.com/acme/..\evil`,
			},
		},
		"exact source": {"sources: [https://github.com/acme/a, local]", source, []string{"https://github.com/acme/a", "https://github.com/acme/a.git", ""}, []string{"https://github.com/acme/ab"}},
		"no source":    {"sources: []", source, nil, []string{"", "https://github.com/acme/a"}},
		"forbidden": {
			"plugins: {forbidden: [{name: x*, origin: 'https://github.com/evil/*'}]}", plugin,
			[]string{"y https://github.com/evil/y", "x https://github.com/acme/x", "x "},
			[]string{"x https://github.com/evil/x", "xy https://github.com/evil/../evil/x"},
		},
		"command":     {"mcp: [{name: db, command: /usr/bin/db --ro}]", server, []string{"/usr/bin/db --ro"}, []string{"/usr/bin/db", "/usr/bin/db --ro --rw", "/tmp/db --ro"}},
		"other name":  {"mcp: [{name: other, command: '*'}]", server, nil, []string{"/usr/bin/db"}},
		"url only":    {"mcp: [{name: db, url: 'https://*'}]", server, nil, []string{"https://x", "/usr/bin/db"}},
		"provider":    {"providers: [{type: anthropic, url: 'https://api.anthropic.com*'}, {type: script}]", provider, []string{"anthropic https://api.anthropic.com", "script "}, []string{"anthropic https://evil.com", "openai https://api.anthropic.com"}},
		"model":       {"models: [claude-*, gpt-5]", func(p *Policy, s string) error { return p.Model(s) }, []string{"claude-x", "gpt-5"}, []string{"gpt-5-mini", "my-claude-x", ""}},
		"mode":        {"modes: [ask, plan]", func(p *Policy, s string) error { return p.Mode(s) }, []string{"ask"}, []string{"auto", "none", "Ask"}},
		"approval":    {"approvals: session", func(p *Policy, s string) error { return p.Approval(s) }, []string{"session", "once"}, []string{"project"}},
		"collector":   {"telemetry: ['https://otel.acme.com:4318*']", func(p *Policy, s string) error { return p.Collector(s) }, []string{"https://otel.acme.com:4318/v1/traces"}, []string{"https://evil.com", "https://otel.acme.com:4318@evil.com"}},
		"two sources": {"sources: [https://a/*]\n---two---\nsources: ['https://a/b/*', 'https://c/*']", source, []string{"https://a/b/c"}, []string{"https://a/c", "https://c/d"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := parse(t, strings.Split(row.policy, "\n---two---\n")...)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range row.permits {
				if err := row.ask(p, s); err != nil {
					t.Errorf("%q: %v", s, err)
				}
			}
			for _, s := range row.refuses {
				err := row.ask(p, s)
				if err == nil || !strings.Contains(err.Error(), ".yaml:1)") || !strings.Contains(err.Error(), "the policy of this machine") {
					t.Errorf("%q: %v", s, err)
				}
			}
			for _, s := range append(row.permits, row.refuses...) {
				if err := row.ask(nil, s); err != nil {
					t.Errorf("without a policy, %q: %v", s, err)
				}
			}
		})
	}
}

func TestVariablesOfServer(t *testing.T) {
	t.Parallel()
	p, err := parse(t, "mcp: [{name: db, command: db, env: [TOKEN]}]")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Server("db", "db", "", []string{"TOKEN"}); err != nil {
		t.Error(err)
	}
	if p.Server("db", "db", "", []string{"LD_PRELOAD", "TOKEN"}) == nil {
		t.Error("a variable that is not listed can run other code")
	}
}

// TestFlags checks the keys that are true or false: only one of the values restricts.
func TestFlags(t *testing.T) {
	t.Parallel()
	for key, ask := range map[string]func(*Policy) error{
		"plugins: {unsafe: false}": (*Policy).Unsafe, "plugins: {native: false}": (*Policy).Native, "plugins: {python: false}": (*Policy).Python,
		"hooks: false": (*Policy).Hooks, "record: false": (*Policy).Record, "record: true": (*Policy).MustRecord,
		"sandbox: {required: true}": func(p *Policy) error { return p.SandboxRequired("x") },
	} {
		p, err := parse(t, key)
		if err != nil || ask(p) == nil {
			t.Errorf("%s permits it: %v", key, err)
		}
		other := strings.NewReplacer("true", "false", "false", "true").Replace(key)
		if p, err = parse(t, other); err != nil || ask(p) != nil {
			t.Errorf("%s refuses it: %v", other, err)
		}
	}
}

func TestRetention(t *testing.T) {
	t.Parallel()
	p, err := parse(t, "sessions: 90d", "sessions: 30d")
	if err != nil {
		t.Fatal(err)
	}
	if age, rule := p.Retention(); age != 30*24*time.Hour || rule.File != "b.yaml" {
		t.Error(age, rule)
	}
	if age, _ := (*Policy)(nil).Retention(); age != 0 {
		t.Error(age)
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		pattern, text string
		want          bool
	}{
		{"a", "A", true},
		{"a", "ab", false},
		{"*", "", true},
		{"a*", "a", true},
		{"*a", "ba", true},
		{"*a", "ab", false},
		{"a*b*c", "a1b2c", true},
		{"a*b*c", "a1c2b", false},
		{"a*a", "a", false},
		{"**", "x", true},
		{"", "", true},
		{"", "x", false},
	} {
		if got := Match(row.pattern, row.text); got != row.want {
			t.Errorf("%q, %q: %t", row.pattern, row.text, got)
		}
	}
}
