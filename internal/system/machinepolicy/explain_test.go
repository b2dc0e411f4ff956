package machinepolicy

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestActionsOfKeys checks that each key of a policy can be explained.
func TestActionsOfKeys(t *testing.T) {
	t.Parallel()
	for _, key := range Table {
		if !slices.ContainsFunc(actions, func(a Action) bool { return a.Key == key.Name }) {
			t.Errorf("no action is about the key %s", key.Name)
		}
	}
	for _, a := range actions {
		if !slices.ContainsFunc(Table, func(k Key) bool { return k.Name == a.Key }) {
			t.Errorf("%s: there is no key %s", a, a.Key)
		}
	}
}

// TestExplain has, for each action, one that a policy permits and one that it refuses. Without a policy, all is permitted.
func TestExplain(t *testing.T) {
	t.Parallel()
	const signer = "signers: ['a ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHkxcX0mWkYHRaHP0lvjOcXCqKCbCnlAeNnfKGCfGpyd']"
	rows := []struct {
		policy, action string
		permitted      bool
	}{
		{"version: 1.2.0", "version 1.2.0", true},
		{"version: 1.2.0", "version 1.1.9", false},
		{"sources: [https://a/*]", "plugins add https://a/x", true},
		{"sources: [https://a/*]", "plugins add https://b/x", false},
		{"sources: [https://a/*]", "plugin x", false},
		{"plugins: {forbidden: [{name: x, origin: '*'}]}", "plugins add https://b/x.git", false},
		{"plugins: {forbidden: [{name: x, origin: '*'}]}", "plugins add https://b/x.git other", true},
		{"plugins: {forbidden: [{name: x, origin: 'https://b/*'}]}", "plugin x https://b/x", false},
		{"plugins: {forbidden: [{name: x, origin: 'https://b/*'}]}", "plugin x", true},
		{signer, "unsigned", false},
		{signer, "plugins add https://a/x", true},
		{"plugins: {required: [{name: x, origin: local}]}", "without x", false},
		{"plugins: {required: [{name: x, origin: local}]}", "without y", true},
		{"plugins: {unsafe: false}", "unsafe", false},
		{"plugins: {unsafe: true}", "unsafe", true},
		{"plugins: {native: false}", "native", false},
		{"plugins: {python: false}", "python", false},
		{"hooks: false", "hooks", false},
		{"mcp: [{name: db, command: db --ro, env: [TOKEN]}]", "mcp db TOKEN= db --ro", true},
		{"mcp: [{name: db, command: db --ro}]", "mcp db TOKEN= db --ro", false},
		{"mcp: [{name: db, url: 'https://a/*'}]", "mcp db https://a/b", true},
		{"mcp: [{name: db, url: 'https://a/*'}]", "mcp db https://b/b", false},
		{"providers: [{type: script}]", "provider script", true},
		{"providers: [{type: script}]", "provider openai https://a", false},
		{"models: [a*]", "model ab", true},
		{"models: [a*]", "model b", false},
		{"sandbox: {required: true}", "unconfined", false},
		{"sandbox: {network: {allow: [a.com]}}", "host a.com", true},
		{"sandbox: {network: {allow: [a.com]}}", "host a.com:80", true},
		{"sandbox: {network: {allow: ['a.com:443']}}", "host a.com:80", false},
		{"sandbox: {network: {allow: [a.com]}}", "host b.com", false},
		{"sandbox: {network: {allow: ['127.0.0.1:80']}}", "host 127.0.0.1:80", true},
		{"sandbox: {network: {allow: ['127.0.0.1:80']}}", "host [::1]:80", false},
		{"sandbox: {hidden: [keys/]}", "read keys/a", false},
		{"sandbox: {hidden: [keys/]}", "read a", true},
		{"modes: [ask]", "mode auto", false},
		{"approvals: session", "approval session", true},
		{"approvals: session", "approval project", false},
		{"record: false", "record", false},
		{"record: true", "record off", false},
		{"record: true", "record", true},
		{"telemetry: []", "telemetry https://a", false},
		{"sessions: 30d", "sessions 30d", true},
		{"sessions: 30d", "sessions 31d", false},
		{"audit: {syslog: true}", "audit off", false},
	}
	for _, row := range rows {
		p, err := parse(t, row.policy)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Explain(strings.Fields(row.action))
		if err != nil || got.Permitted != row.permitted || len(got.Rules) == 0 {
			t.Errorf("%s: %s: %+v, %v", row.policy, row.action, got, err)
		}
		for _, r := range got.Refusals {
			if r.What == "" || r.Rule.Line != 1 || !strings.Contains(r.Remedy, "line 1 of") {
				t.Errorf("%s: %+v", row.action, r)
			}
		}
		if got, err = (*Policy)(nil).Explain(strings.Fields(row.action)); err != nil || !got.Permitted {
			t.Errorf("without a policy, %s: %+v, %v", row.action, got, err)
		}
	}
}

// TestExplainWrong checks that what is no action is an error and never "permitted".
func TestExplainWrong(t *testing.T) {
	t.Parallel()
	for _, action := range []string{"", "modell x", "model", "model a b", "plugins", "plugins add", "mcp db", "mcp db TOKEN=", "approval ever", "sessions ever", "host a:b", "host :", "read ../a"} {
		got, err := (*Policy)(nil).Explain(strings.Fields(action))
		if err == nil {
			t.Errorf("%q: %+v", action, got)
		}
	}
	if _, err := (*Policy)(nil).Explain([]string{"model", ""}); !errors.Is(err, ErrAction) {
		t.Error(err)
	}
}
