package machinepolicy

import (
	"path/filepath"
	"strings"
	"testing"
)

// parse returns the policy of documents that are named a.yaml, b.yaml and so on.
func parse(tb testing.TB, documents ...string) (*Policy, error) {
	tb.Helper()
	var p *Policy
	for i, text := range documents {
		var err error
		if p, err = p.With(string(rune('a'+i))+".yaml", []byte(text)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// TestValues has documents, and the error that each must cause.
func TestValues(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		documents []string
		want      string // "" for a valid policy
	}{
		{[]string{"version: 1.2.3"}, ""},
		{[]string{"version: new"}, "a.yaml:1: key \"version\""},
		{[]string{"audit: {file: /var/log/aura}"}, ""},
		{[]string{"audit: {syslog: true, on_failure: stop}"}, ""},
		{[]string{"audit: {otlp: https://collector:4318}"}, ""},
		{[]string{"audit: {}"}, "one destination"},
		{[]string{"audit: {file: audit.log}"}, "absolute"},
		{[]string{"audit: {file: /a, syslog: true}"}, "one destination"},
		{[]string{"audit: {otlp: collector}"}, "http or https"},
		{[]string{"audit: {syslog: true, on_failure: ignore}"}, "neither buffer nor stop"},
		{[]string{"audit: {syslog: true}", "\naudit: {file: /a}"}, "b.yaml:2: key \"audit\" conflicts with a.yaml:1"},
		{[]string{"url: https://a/p\nkey: ssh-ed25519 AAAA"}, ""},
		{[]string{"url: https://a/p"}, "needs url and key"},
		{[]string{"key: ssh-ed25519 AAAA"}, "needs url and key"},
		{[]string{"url: file:///p\nkey: k"}, "http or https"},
		{[]string{"url: https://a/p\nkey: k", "url: https://b/p\nkey: k"}, "b.yaml:1: key \"url\" conflicts with a.yaml:1"},
		{[]string{"modes: [ask]", "modes: [plan]"}, "b.yaml:1: key \"modes\" conflicts with a.yaml:1"},
		{[]string{"models: [a]", "models: [b, a]", "models: [b]"}, "c.yaml:1: key \"models\" conflicts"},
		{[]string{"models: [a]", "models: ['b*']"}, ""},
		{[]string{"record: true", "record: false"}, "b.yaml:1: key \"record\" conflicts with a.yaml:1"},
		{[]string{"plugins: {required: [{name: g, origin: 'https://a/g'}]}", "sources: ['https://b/*']"}, "a.yaml:1: key \"plugins.required\" conflicts with b.yaml:1"},
		{[]string{"plugins: {required: [{name: g, origin: local}]}", "plugins: {forbidden: [{name: '*', origin: local}]}"}, "conflicts with b.yaml:1"},
		{[]string{"plugins: {required: [{name: g}]}"}, "needs name and origin"},
		{[]string{"plugins: {required: [{name: '*', origin: local}]}"}, "name one plugin"},
		{[]string{"plugins: {forbidden: [{origin: local}]}"}, "needs name and origin"},
		{[]string{"mcp: [{name: a}]"}, "either a command or a url"},
		{[]string{"mcp: [{name: a, command: b, url: 'https://c'}]"}, "either a command or a url"},
		{[]string{"mcp: [{name: a, url: c}]"}, "does not begin with https"},
		{[]string{"providers: [{url: 'https://c'}]"}, "needs a type"},
		{[]string{"sources: ['']"}, "an empty entry"},
		{[]string{"sandbox: {network: {deny: [a.com]}}"}, "needs allow"},
		{[]string{"sandbox: {network: {allow: ['https://a.com']}}"}, "is a URL"},
		{[]string{"sandbox: {network: {allow: ['preset:go']}}"}, "preset"},
		{[]string{"sandbox: {hidden: ['!x']}"}, "that hides"},
		{[]string{"approvals: always"}, "none of once, session, project"},
		{[]string{"sessions: 0d"}, "not a number of days"},
		{[]string{"sessions: 3dd"}, "not a number of days"},
		{[]string{"versions: 1"}, "unknown key"},
		{[]string{"version: 1.2.3\nversion: 1.2.4"}, "duplicate key"},
	} {
		_, err := parse(t, row.documents...)
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%q: want %q, got %v", row.documents, row.want, err)
		}
	}
}

func TestAuditOfTwo(t *testing.T) {
	t.Parallel()
	p, err := parse(t, "audit: {syslog: true}", "audit: {syslog: true, on_failure: stop}")
	if err != nil {
		t.Fatal(err)
	}
	if a, ok := p.Audit(); !ok || a.To != ToSyslog || a.OnFailure != Stop || a.Rule.File != "b.yaml" {
		t.Fatalf("%+v", a)
	}
	if _, ok := (*Policy)(nil).Audit(); ok {
		t.Fatal("no policy has an audit")
	}
}

func TestOutdated(t *testing.T) {
	t.Parallel()
	p, err := parse(t, "version: 0.1.0", "# second\nversion: 0.3.0")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Outdated("0.3.0"); err != nil {
		t.Error(err)
	}
	if err := p.Outdated("0.2.9"); err == nil || !strings.Contains(err.Error(), "b.yaml:2") {
		t.Error(err)
	}
}

// FuzzParse checks that documents of any content are refused or understood, and that each rule has its place.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"version: 1.0.0", "audit: {file: /a}", "url: https://a\nkey: k", "a: [", "modes: [a]", "models: ['*']", "mcp: [{name: a, command: b, env: [C]}]", "plugins: {required: [{name: a, origin: local, hash: x}]}", "sandbox: {required: true, network: {allow: [a.com], deny: [b.a.com]}, hidden: [x]}", "audit: &a {syslog: true}\nkey: *a"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse(filepath.Join("x", FileName), data)
		if err != nil {
			return
		}
		for _, r := range p.Rules() {
			if r.Line < 1 || r.File == "" || r.Key == "" {
				t.Errorf("%+v has no place", r)
			}
		}
		// A document together with itself is no stricter and no conflict.
		both, err := p.With("again.yaml", data)
		if err != nil {
			t.Fatalf("%q conflicts with itself: %v", data, err)
		}
		if len(both.Rules()) != 2*len(p.Rules()) {
			t.Errorf("%d rules, then %d", len(p.Rules()), len(both.Rules()))
		}
	})
}
