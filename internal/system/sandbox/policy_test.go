package sandbox_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/network"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// place is fictitious: none of its paths exist.
var place = sandbox.Place{
	Workdir: "/p/work", Home: "/p/home", DataDir: "/p/data", Own: []string{"/p/bin/aura"},
	Path: []string{"/p/home/.local/bin", "relative"}, Caches: []string{"/p/gocache"}, Hidden: []string{"/tmp/aura-1"},
}

func TestDefault(t *testing.T) {
	t.Parallel()
	tests := map[sandbox.Kind]struct {
		network, exec bool
		rw            []string
		hidden        []string
	}{
		sandbox.KindPlugin: {true, false, []string{"/p/work", "/tmp", "/p/data"}, []string{"/tmp/aura-1"}},
		sandbox.KindFiles:  {false, false, []string{"/p/work", "/tmp", "/p/data"}, []string{"/tmp/aura-1"}},
		sandbox.KindShell: {true, true, []string{
			"/p/work", "/tmp", "/p/data", "/p/home/.cache", "/p/home/go/pkg", "/p/home/.cargo/registry", "/p/home/.cargo/git",
			"/p/home/.npm", "/p/home/.gradle/caches", "/p/home/.m2/repository", "/p/gocache",
		}, []string{"/tmp/aura-1", "/p/home/.cache/huggingface/token", "/p/home/.cache/huggingface/stored_tokens"}},
		sandbox.KindToolchain: {true, false, []string{
			"/p/work", "/tmp", "/p/data", "/p/home/.cache", "/p/home/go/pkg", "/p/home/.cargo/registry", "/p/home/.cargo/git",
			"/p/home/.npm", "/p/home/.gradle/caches", "/p/home/.m2/repository", "/p/gocache",
		}, []string{"/tmp/aura-1", "/p/home/.cache/huggingface/token", "/p/home/.cache/huggingface/stored_tokens"}},
	}
	for kind, tt := range tests {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			p := sandbox.Default(place, kind)
			if p.Network != tt.network || p.Exec != tt.exec || p.UnixSockets {
				t.Errorf("network %t, exec %t, sockets %t", p.Network, p.Exec, p.UnixSockets)
			}
			if !slices.Equal(p.ReadWrite, tt.rw) {
				t.Errorf("rw = %q", p.ReadWrite)
			}
			if p.Limits.Processes == 0 {
				t.Error("no limit of processes")
			}
			if slices.Contains(p.ReadOnly, "relative") || slices.ContainsFunc(p.ReadOnly, func(s string) bool { return strings.HasPrefix(s, "/proc") }) {
				t.Errorf("ro = %q", p.ReadOnly)
			}
			want := []string{
				"/p/work/.git/hooks", "/p/work/.git/config", "/p/work/.git/config.worktree", "/p/work/.git/commondir", "/p/work/.git",
				"/p/work/.aura",
			}
			if !slices.Equal(p.Protected, want) || !slices.Equal(p.Hidden, tt.hidden) {
				t.Errorf("protected = %q, hidden = %q", p.Protected, p.Hidden)
			}
			b, err := json.Marshal(p)
			var back sandbox.Policy
			if err != nil || json.Unmarshal(b, &back) != nil || !reflect.DeepEqual(p, back) {
				t.Errorf("as JSON and back: %s", b)
			}
		})
	}
}

// Programs in PATH must be able to run, wherever the home directory is located.
func TestDefaultReadsPrograms(t *testing.T) {
	t.Parallel()
	at := place
	at.Path = []string{"/r/.pyenv/shims", "/r/node/bin/", "/r/.pyenv/plugins/virtualenv/shims", "/r/plain"}
	p := sandbox.Default(at, sandbox.KindShell)
	for path, want := range map[string]bool{
		"/r/.pyenv/shims/python3": true, "/r/.pyenv/libexec/pyenv": true, "/r/.pyenv/versions/3/bin/python3": true, "/r/.pyenv/version": true,
		"/r/node/bin/node": true, "/r/node/lib/x.js": true, "/r/node/share/x": false, "/r/plain/x": true, "/r/lib/x": false, "/r/.pyenv/x": false,
		"/p/home/.nvm/versions/x": true, "/p/home/x": false,
	} {
		err := sandbox.Check(p, at.Workdir, sandbox.Access{Read: []string{path}})
		if (err == nil) != want {
			t.Errorf("reading %s: %v", path, err)
		}
		if sandbox.Check(sandbox.Default(at, sandbox.KindFiles), at.Workdir, sandbox.Access{Read: []string{path}}) == nil {
			t.Errorf("a tool for files reads %s", path)
		}
	}
}

// A home directory may be located among the programs of the system. The directories beside it stay within reach.
func TestDefaultLeavesOutTheHome(t *testing.T) {
	t.Parallel()
	at := place
	at.Home = "/usr/lib/aura-nobody/home"
	p := sandbox.Default(at, sandbox.KindShell)
	for path, want := range map[string]bool{
		at.Home: false, at.Home + "/x": false, at.Home + "/.cache/x": true, "/usr/bin/env": true, "/bin/sh": true, "/etc/ssl/x": true,
	} {
		if err := sandbox.Check(p, at.Workdir, sandbox.Access{Read: []string{path}}); (err == nil) != want {
			t.Errorf("reading %s: %v", path, err)
		}
	}
}

func TestDefaultHidesSecrets(t *testing.T) {
	t.Parallel()
	home := sandbox.Paths{ReadOnly: []string{"~"}}
	p := sandbox.Compose(place, sandbox.KindShell, sandbox.Config{Extra: home})
	for _, secret := range []string{".ssh", ".aws", ".bash_history", ".claude", ".codex", ".config/gcloud", ".local/state/aura"} {
		if !slices.Contains(p.Hidden, "/p/home/"+secret) {
			t.Errorf("%s is not hidden", secret)
		}
	}
	home.ReadOnly = append(home.ReadOnly, "~/.aws")
	p = sandbox.Compose(place, sandbox.KindShell, sandbox.Config{Extra: home})
	if slices.Contains(p.Hidden, "/p/home/.aws") || !slices.Contains(p.Hidden, "/p/home/.ssh") {
		t.Errorf("hidden = %q", p.Hidden)
	}
}

func TestCompose(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		config sandbox.Config
		check  func(p, base sandbox.Policy) bool
	}{
		"nothing set": {sandbox.Config{Network: network.Setting{On: true}}, func(p, base sandbox.Policy) bool { return reflect.DeepEqual(p, base) }},
		"restrictions replace": {
			sandbox.Config{Restrictions: sandbox.Paths{ReadOnly: []string{"/usr"}, ReadWrite: []string{"."}}},
			func(p, base sandbox.Policy) bool {
				return slices.Equal(p.ReadOnly, []string{"/usr"}) && slices.Equal(p.ReadWrite, []string{"/p/work"}) && slices.Equal(p.Own, base.Own)
			},
		},
		"one list alone": {
			sandbox.Config{Restrictions: sandbox.Paths{ReadWrite: []string{}}},
			func(p, base sandbox.Policy) bool {
				return slices.Equal(p.ReadOnly, base.ReadOnly) && len(p.ReadWrite) == 0
			},
		},
		"extra adds": {
			sandbox.Config{Extra: sandbox.Paths{ReadOnly: []string{"~/docs", "~"}, ReadWrite: []string{"../out", ""}}},
			func(p, base sandbox.Policy) bool {
				return slices.Equal(p.ReadOnly, append(slices.Clone(base.ReadOnly), "/p/home/docs", "/p/home")) &&
					slices.Equal(p.ReadWrite, append(slices.Clone(base.ReadWrite), "/p/out"))
			},
		},
		"extra adds to restrictions": {
			sandbox.Config{Restrictions: sandbox.Paths{ReadOnly: []string{}}, Extra: sandbox.Paths{ReadOnly: []string{"/data"}}},
			func(p, _ sandbox.Policy) bool { return slices.Equal(p.ReadOnly, []string{"/data"}) },
		},
		"network off": {sandbox.Config{}, func(p, _ sandbox.Policy) bool { return !p.Network && p.Hosts == nil }},
		"some hosts": {
			sandbox.Config{Network: network.Setting{Rules: &network.Rules{Ask: true}}},
			func(p, _ sandbox.Policy) bool { return !p.Network && p.Hosts != nil && p.Hosts.Ask },
		},
		"unix sockets": {sandbox.Config{UnixSockets: true}, func(p, _ sandbox.Policy) bool { return p.UnixSockets }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := sandbox.Compose(place, sandbox.KindShell, tt.config)
			if !tt.check(p, sandbox.Default(place, sandbox.KindShell)) {
				t.Errorf("policy %+v", p)
			}
		})
	}
	if p := sandbox.Compose(place, sandbox.KindPlugin, sandbox.Config{UnixSockets: true}); p.UnixSockets {
		t.Error("a plugin has Unix sockets")
	}
	for _, setting := range []network.Setting{{On: true}, {Rules: &network.Rules{Ask: true}}} {
		if p := sandbox.Compose(place, sandbox.KindFiles, sandbox.Config{Network: setting}); p.Network || p.Hosts != nil {
			t.Errorf("a tool for files has a network: %v", setting)
		}
	}
}

func TestStricter(t *testing.T) {
	t.Parallel()
	base := sandbox.Compose(place, sandbox.KindShell, sandbox.Config{Network: network.Setting{On: true}})
	tests := map[string]struct {
		config sandbox.Config
		want   bool
	}{
		"same":            {sandbox.Config{Network: network.Setting{On: true}}, false},
		"looser":          {sandbox.Config{Network: network.Setting{On: true}, UnixSockets: true, Extra: sandbox.Paths{ReadWrite: []string{"/more"}}}, false},
		"no network":      {sandbox.Config{}, true},
		"fewer writable":  {sandbox.Config{Network: network.Setting{On: true}, Restrictions: sandbox.Paths{ReadWrite: []string{"."}}}, true},
		"fewer readable":  {sandbox.Config{Network: network.Setting{On: true}, Restrictions: sandbox.Paths{ReadOnly: []string{"/usr"}}}, true},
		"all is readable": {sandbox.Config{Network: network.Setting{On: true}, Restrictions: sandbox.Paths{ReadOnly: []string{"/"}}}, false},
	}
	for name, tt := range tests {
		if got := sandbox.Compose(place, sandbox.KindShell, tt.config).Stricter(base); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestLessNetwork(t *testing.T) {
	t.Parallel()
	on, off := sandbox.Policy{Network: true}, sandbox.Policy{}
	ask, none := sandbox.Policy{Hosts: &network.Rules{Ask: true}}, sandbox.Policy{Hosts: &network.Rules{}}
	for i, tt := range []struct {
		policy, other sandbox.Policy
		want          bool
	}{
		{on, on, false},
		{on, off, false},
		{on, ask, false},
		{off, on, true},
		{off, off, false},
		{off, ask, true},
		{ask, on, true},
		{ask, off, false},
		{ask, none, false},
		{none, ask, true},
	} {
		if got := tt.policy.LessNetwork(tt.other); got != tt.want || tt.policy.Stricter(tt.other) != tt.want {
			t.Errorf("%d: %t", i, got)
		}
	}
}

func TestWithoutFiles(t *testing.T) {
	t.Parallel()
	base := sandbox.Default(place, sandbox.KindPlugin)
	p := base.WithoutFiles()
	if !slices.Equal(p.ReadWrite, []string{"/"}) || p.Exec || len(p.Protected)+len(p.Hidden) > 0 || p.Limits != base.Limits {
		t.Errorf("policy %+v", p)
	}
	if p.Stricter(base) || !base.Stricter(p) {
		t.Error("it is not the looser one")
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(base, "work")
	for _, dir := range []string{"work/sub", "work/.git/hooks", "ro", "secret", "work/hidden"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"work/out": "../secret", "work/dangling": "../secret/new", "work/in": "sub", "work/sub/up": "..", "work/loop": "loop", "alias": "work",
	} {
		testneed.Link(t, target, filepath.Join(base, link))
	}
	policy := sandbox.Policy{
		ReadOnly: []string{filepath.Join(base, "ro")}, ReadWrite: []string{filepath.Join(base, "alias")},
		Protected: []string{filepath.Join(work, ".git/hooks")}, Hidden: []string{filepath.Join(work, "hidden")},
	}
	tests := map[string]struct {
		path  string
		write bool
		rule  string // part of the message; empty if allowed
	}{
		"inside":                    {"sub/file", true, ""},
		"the root itself":           {".", false, ""},
		"absolute":                  {filepath.Join(work, "x"), true, ""},
		"read-only, read":           {"../ro/x", false, ""},
		"read-only, written":        {"../ro/x", true, "is read-only"},
		"outside, read":             {"../secret/x", false, "no path of ro or rw"},
		"outside, written":          {"../secret/x", true, "no path of rw"},
		"by a link":                 {"out/x", false, "no path of ro or rw"},
		"by a link to nothing":      {"dangling", true, "no path of rw"},
		"by a link that stays":      {"in/x", true, ""},
		"back by a link":            {"sub/up/file", true, ""},
		"out by a link and dots":    {"out/../ro/x", true, "is read-only"},
		"links without end":         {"loop/x", true, ""},
		"protected, read":           {".git/hooks/x", false, ""},
		"protected, written":        {".git/hooks/x", true, "stays read-only"},
		"protected, by another way": {"sub/../.git/hooks", true, "stays read-only"},
		"hidden":                    {"hidden/x", false, "is hidden"},
		"similar name":              {"../work2/x", false, "no path of ro or rw"},
		"device":                    {"/dev/null", true, ""},
		"other device":              {"/dev/sda", true, "no path of rw"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			access := sandbox.Access{Read: []string{tt.path}}
			if tt.write {
				access = sandbox.Access{Write: []string{tt.path}}
			}
			err := sandbox.Check(policy, work, access)
			if tt.rule == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var denied *sandbox.DeniedError
			if !errors.As(err, &denied) || !strings.Contains(err.Error(), tt.rule) || !strings.Contains(err.Error(), tt.path) || denied.Write != tt.write {
				t.Errorf("error %v, want one with %q", err, tt.rule)
			}
		})
	}
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{"a", "../x", "/etc/passwd", "a/../../b", "\x00", "~", "", "//x", "a/./b"} {
		f.Add(seed)
	}
	work := f.TempDir()
	f.Fuzz(func(t *testing.T, path string) {
		policy := sandbox.Policy{ReadWrite: []string{work}}
		err := sandbox.Check(policy, work, sandbox.Access{Write: []string{path}})
		if filepath.IsAbs(path) || path == "" {
			return
		}
		// An empty directory contains no links, so cleaning the path gives the right result.
		clean := filepath.Clean(path)
		if outside := clean == ".." || strings.HasPrefix(clean, "../"); outside != (err != nil) {
			rel, relErr := filepath.Rel(work, filepath.Join(work, path))
			if relErr != nil || (rel == ".." || strings.HasPrefix(rel, "../")) != (err != nil) {
				t.Errorf("%q: %v", path, err)
			}
		}
	})
}

func TestSupport(t *testing.T) {
	t.Parallel()
	s := sandbox.Support()
	if s.Enabled != (s.Reason() == "") || len(s.Rows) == 0 {
		t.Errorf("status %+v", s)
	}
}

// TestSurvey checks that a policy made from a survey is the same as one without, and that policies do not share their lists.
func TestSurvey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := sandbox.Place{
		Workdir: filepath.Join(dir, "work"), Home: filepath.Join(dir, "home"), Temp: filepath.Join(dir, "tmp"), Programs: []string{filepath.Join(dir, "bin", "aura")},
		Settings: []string{filepath.Join(dir, "home", ".aura")}, EnvFiles: []string{filepath.Join(dir, "work", ".env")}, Sources: []string{dir},
	}
	for _, kind := range []sandbox.Kind{sandbox.KindPlugin, sandbox.KindToolchain, sandbox.KindGuest, sandbox.KindFiles, sandbox.KindShell, sandbox.KindBuild} {
		at.DataDir = filepath.Join(dir, string(kind))
		want := sandbox.Compose(at, kind, sandbox.Config{})
		seen := at
		seen.Survey = at.Look()
		first := sandbox.Compose(seen, kind, sandbox.Config{Extra: sandbox.Paths{ReadOnly: []string{"/extra"}}})
		first.Protected[0], first.Named[0], first.ReadOnly[0], first.Exposed[0] = "changed", "changed", "changed", "changed"
		if got := sandbox.Compose(seen, kind, sandbox.Config{}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v\nwant %+v", kind, got, want)
		}
	}
}
