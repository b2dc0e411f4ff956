package trust_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/idelchi/aura/internal/system/statefile"
	"github.com/idelchi/aura/internal/system/trust"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestStore(t *testing.T) {
	t.Parallel()
	s := trust.Store{Path: filepath.Join(t.TempDir(), "aura", "trust.json")}
	if _, ok, err := s.Get("/a"); ok || err != nil {
		t.Errorf("an empty store has a consent: %v, %v", ok, err)
	}
	given := trust.Consent{Files: map[string]string{"x": "1"}, Requests: []trust.Request{{Kind: trust.KindHook, Name: "h"}}}
	if err := errors.Join(s.Put("/a", given), s.Put("/b", trust.Consent{Sources: []string{".aura"}})); err != nil {
		t.Fatal(err)
	}
	if got, ok, err := s.Get("/a"); !ok || err != nil || !reflect.DeepEqual(got, given) {
		t.Errorf("got %+v, %v, %v", got, ok, err)
	}
	if info, err := os.Stat(s.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the store is %v, %v", info.Mode(), err)
	}
	if had, err := s.Forget("/a"); !had || err != nil {
		t.Error(had, err)
	}
	if had, err := s.Forget("/a"); had || err != nil {
		t.Error(had, err)
	}
	if all, err := s.All(); err != nil || len(all) != 1 {
		t.Errorf("left: %v, %v", all, err)
	}
}

func TestStoreSideBySide(t *testing.T) {
	t.Parallel()
	s := trust.Store{Path: filepath.Join(t.TempDir(), "trust.json")}
	var all sync.WaitGroup
	for dir := range strings.SplitSeq("abcdefghijklmnop", "") {
		all.Go(func() {
			if err := s.Put("/"+dir, trust.Consent{Sources: []string{".aura"}}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got, err := s.All(); err != nil || len(got) != 16 {
		t.Errorf("%d consents are kept, %v", len(got), err)
	}
}

// A store that cannot be parsed is an error, gives no consent, and is not overwritten.
func TestDamagedStore(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no JSON":       "{",
		"unknown key":   `{"version": 1, "projects": {"/a": {"sources": [".aura"], "all": true}}}`,
		"wrong version": `{"version": 2, "projects": {}}`,
		"more after it": `{"version": 1, "projects": {}} {"version": 1, "projects": {"/a": {"sources": [".aura"]}}}`,
		"empty":         "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := trust.Store{Path: filepath.Join(t.TempDir(), "trust.json")}
			write(t, s.Path, text)
			_, ok, err := s.Get("/a")
			if ok || err == nil || !strings.Contains(err.Error(), "remove the file to start over") {
				t.Errorf("got %v, %v", ok, err)
			}
			if err := s.Put("/b", trust.Consent{}); err == nil {
				t.Error("it was written")
			}
			if now, err := os.ReadFile(s.Path); err != nil || string(now) != text {
				t.Errorf("it is %q now, %v", now, err)
			}
		})
	}
}

func TestNoPlace(t *testing.T) {
	t.Parallel()
	var s trust.Store
	if _, ok, err := s.Get("/a"); ok || err != nil {
		t.Error(ok, err)
	}
	if err := s.Put("/a", trust.Consent{}); !errors.Is(err, statefile.ErrNoPlace) {
		t.Error(err)
	}
}

func TestConsent(t *testing.T) {
	t.Parallel()
	directory, pinned := trust.Consent{Sources: []string{".aura"}}, trust.Consent{Files: map[string]string{}}
	for name, row := range map[string]struct {
		consent trust.Consent
		sources []string
		covers  bool
	}{
		"the source":       {directory, []string{".aura"}, true},
		"nothing":          {directory, nil, true},
		"one that is new":  {directory, []string{".aura", "secrets.env"}, false},
		"files, not a dir": {pinned, []string{".aura"}, false},
	} {
		if got := row.consent.Covers(row.sources); got != row.covers {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestHash(t *testing.T) {
	t.Parallel()
	base := func(t *testing.T) (dir, home string) {
		t.Helper()
		dir = t.TempDir()
		home = filepath.Join(dir, ".aura")
		write(t, filepath.Join(home, "config/hooks/h.yaml"), "h: 1\n")
		write(t, filepath.Join(home, "plugins/p/main.go"), "package p\n")
		write(t, filepath.Join(home, "sessions/1.jsonl"), "{}")
		write(t, filepath.Join(dir, "secrets.env"), "A=1\n")
		write(t, filepath.Join(dir, "elsewhere/x.yaml"), "x")
		return dir, home
	}
	for name, row := range map[string]struct {
		change func(t *testing.T, dir string) error
		want   trust.Change
	}{
		"nothing": {func(*testing.T, string) error { return nil }, trust.Change{}},
		"one byte": {func(_ *testing.T, d string) error {
			return os.WriteFile(d+"/.aura/config/hooks/h.yaml", []byte("h: 2\n"), 0o600)
		}, trust.Change{Changed: []string{".aura/config/hooks/h.yaml"}}},
		"a new file":     {func(_ *testing.T, d string) error { return os.WriteFile(d+"/.aura/plugins.lock", nil, 0o600) }, trust.Change{Added: []string{".aura/plugins.lock"}}},
		"a hidden file":  {func(_ *testing.T, d string) error { return os.WriteFile(d+"/.aura/plugins/p/.x", nil, 0o600) }, trust.Change{Added: []string{".aura/plugins/p/.x"}}},
		"its repository": {func(t *testing.T, d string) error { t.Helper(); write(t, d+"/.aura/.git/index", "x"); return nil }, trust.Change{}},
		"one further down": {func(t *testing.T, d string) error {
			t.Helper()
			write(t, d+"/.aura/plugins/p/.git/load.py", "x")
			return nil
		}, trust.Change{Added: []string{".aura/plugins/p/.git/load.py"}}},
		"one is gone":    {func(_ *testing.T, d string) error { return os.Remove(d + "/.aura/plugins/p/main.go") }, trust.Change{Removed: []string{".aura/plugins/p/main.go"}}},
		"the env file":   {func(_ *testing.T, d string) error { return os.WriteFile(d+"/secrets.env", []byte("B=1"), 0o600) }, trust.Change{Changed: []string{"secrets.env"}}},
		"it is gone":     {func(_ *testing.T, d string) error { return os.Remove(d + "/secrets.env") }, trust.Change{Removed: []string{"secrets.env"}}},
		"another beside": {func(_ *testing.T, d string) error { return os.WriteFile(d+"/task.env", nil, 0o600) }, trust.Change{Added: []string{"task.env"}}},
		"old state": {func(t *testing.T, d string) error {
			t.Helper()
			for _, name := range []string{"cache/x", "data/x.sh", "logs/x", "sessions/2.jsonl"} {
				write(t, d+"/.aura/"+name, "x")
			}
			return nil
		}, trust.Change{Added: []string{".aura/cache/x", ".aura/data/x.sh", ".aura/logs/x", ".aura/sessions/2.jsonl"}}},
		"a linked folder": {
			func(_ *testing.T, d string) error { return os.Symlink(d+"/elsewhere", d+"/.aura/config/mcp") },
			trust.Change{Added: []string{".aura/config/mcp", ".aura/config/mcp/x.yaml"}},
		},
		"a link for a file": {func(t *testing.T, d string) error {
			t.Helper()
			write(t, d+"/same", "h: 1\n")
			return errors.Join(os.Remove(d+"/.aura/config/hooks/h.yaml"), os.Symlink(d+"/elsewhere/x.yaml", d+"/.aura/config/hooks/h.yaml"))
		}, trust.Change{Changed: []string{".aura/config/hooks/h.yaml"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, home := base(t)
			beside := []string{filepath.Join(dir, "secrets.env"), filepath.Join(dir, "task.env")}
			before, err := trust.Hash(dir, home, beside)
			if err != nil {
				t.Fatal(err)
			}
			if err := row.change(t, dir); err != nil {
				t.Fatal(err)
			}
			after, err := trust.Hash(dir, home, beside)
			if err != nil {
				t.Fatal(err)
			}
			if got := trust.Compare(before, after); !reflect.DeepEqual(got, row.want) {
				t.Errorf("got %+v, want %+v", got, row.want)
			}
		})
	}
}

func TestChangeText(t *testing.T) {
	t.Parallel()
	c := trust.Change{Changed: []string{"a"}, Added: strings.Split(strings.Repeat("b,", 12)+"c", ","), Removed: []string{"d"}}
	want := "changed: a; added: b, b, b, b, b, b, b, b, b, b, and 3 more; removed: d"
	if got := c.String(); got != want {
		t.Errorf("got %q", got)
	}
}

func TestWidens(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		key, value string
		own        bool
		kind       trust.Kind
		want       bool
	}{
		{"sandbox.enabled", "false", false, trust.KindSandbox, true},
		{"sandbox.enabled", "off", false, trust.KindSandbox, true},
		{"sandbox.enabled", "${X}", false, trust.KindSandbox, true},
		{"sandbox.enabled", "true", false, trust.KindSandbox, false},
		{"sandbox.required", "false", false, trust.KindSandbox, true},
		{"sandbox.required", "true", false, trust.KindSandbox, false},
		{"sandbox.network", "on", false, trust.KindSandbox, true},
		{"sandbox.network", "off", false, trust.KindSandbox, false},
		{"sandbox.unix_sockets", "true", false, trust.KindSandbox, true},
		{"sandbox.unix_sockets", "false", false, trust.KindSandbox, false},
		{"sandbox.caches", "shared", false, trust.KindSandbox, true},
		{"sandbox.caches", "private", false, trust.KindSandbox, false},
		{"sandbox.extra.rw", "/", false, trust.KindSandbox, true},
		{"sandbox.extra.rw", "", false, trust.KindSandbox, false},
		{"sandbox.restrictions.ro", "/", false, trust.KindSandbox, true},
		{"sandbox.env", "TOKEN", false, trust.KindSandbox, true},
		{"sandbox.later", "x", false, trust.KindSandbox, true},
		{"plugins.unsafe", "true", false, trust.KindUnsafe, true},
		{"plugins.unsafe", "false", false, trust.KindUnsafe, false},
		{"plugins.dir", "../x", false, trust.KindPluginsDir, true},
		{"plugins.exclude", "guard", false, trust.KindPolicy, true},
		{"plugins.include", "", false, trust.KindPolicy, true},
		{"plugins.config.local.gotify.url", "http://x", false, trust.KindPolicy, true},
		{"tools.policy.auto", "Bash", false, trust.KindPolicy, true},
		{"tools.policy.confirm", "", true, trust.KindPolicy, true},
		{"tools.policy.deny", "Bash", false, trust.KindPolicy, false},
		{"tools.read_before.write", "false", false, trust.KindPolicy, true},
		{"tools.read_before.write", "true", false, trust.KindPolicy, false},
		{"tools.disabled", "", true, trust.KindPolicy, true},
		{"tools.max_steps", "9", false, trust.KindPolicy, false},
		{"tools.search.searxng", "http://localhost:8888", false, trust.KindSandbox, true},
		{"tools.search.provider", "true", true, trust.KindSandbox, true},
		{"tools.search.provider", "true", false, trust.KindSandbox, false},
		{"tools.search.provider", "off", true, trust.KindSandbox, false},
		{"hooks.disabled", "guard", true, trust.KindPolicy, true},
		{"hooks.disabled", "guard", false, trust.KindPolicy, false},
		{"compaction.threshold", "10", true, "", false},
	} {
		if kind, got := trust.Widens(row.key, row.value, row.own); kind != row.kind || got != row.want {
			t.Errorf("%s: %s (own %v) is %s, %v", row.key, row.value, row.own, kind, got)
		}
	}
}

// TestShown checks that a command of several lines does not look like one line.
func TestShown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"true":                             "true",
		"true # see docs\ntouch x\n":       `true # see docs\ntouch x`,
		"a  b\tc\r\n\n \n  d\r":            `a b c\nd`,
		"at pre: \n# nothing\n\ttouch x\n": `at pre:\n# nothing\ntouch x`,
		"":                                 "",
	} {
		if got := (trust.Request{Text: text}).Shown(); got != want {
			t.Errorf("%q is shown as %s, want %s", text, got, want)
		}
	}
}
