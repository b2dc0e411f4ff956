package hidden_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/hidden"
)

const keyText = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n-----END PRIVATE KEY-----\n"

// place is a working directory with a finder.
type place struct {
	*testing.T
	dir    string
	finder *hidden.Finder
}

func newPlace(t *testing.T, patterns ...string) place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	rules := &hidden.Rules{Dir: dir}
	if len(patterns) > 0 {
		rules.Layers = []hidden.Layer{{Source: "s.yaml", Patterns: patterns, Own: true}}
	}
	p := place{t, dir, hidden.NewFinder(rules)}
	t.Cleanup(p.finder.Close)
	return p
}

func (p place) sh(line string) {
	p.Helper()
	cmd := exec.CommandContext(p.Context(), "sh", "-ec", line)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "KEY="+keyText, "GIT_CONFIG_GLOBAL=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		p.Fatalf("%s: %v: %s", line, err, out)
	}
}

func (p place) finds(want ...string) {
	p.Helper()
	var got []string
	for _, hit := range p.finder.Find([]string{p.dir}).Hits {
		name, err := filepath.Rel(p.dir, hit.Path)
		if err != nil {
			p.Fatal(err)
		}
		got = append(got, name)
	}
	if !slices.Equal(got, want) {
		p.Errorf("found %q, not %q", got, want)
	}
}

// TestFinds changes a directory in many ways and searches after each. Every search after the first one uses what is known.
func TestFinds(t *testing.T) {
	t.Parallel()
	p := newPlace(t, ".env*", "!.env.example", "private/", "/conf/*.key")
	p.sh("mkdir -p a/b conf private/x && echo x >a/b/.env && echo x >.env.example && echo x >conf/a.key && echo x >a/a.key && echo x >private/x/y")
	p.finds("a/b/.env", "conf/a.key", "private")
	p.finds("a/b/.env", "conf/a.key", "private")
	p.sh("mv a c && echo x >secrets.env && mkdir -p n/m/o && echo x >n/m/o/.env.local")
	p.finds("c/b/.env", "conf/a.key", "n/m/o/.env.local", "private", "secrets.env")
	p.sh("rm -r n conf && mkdir n")
	p.finds("c/b/.env", "private", "secrets.env")
	p.sh(`printf '' >pem && echo "not a key" >other`)
	p.finds("c/b/.env", "private", "secrets.env")
	p.sh(`printf %s "$KEY" >pem && printf %s "$KEY" >n/k`)
	p.finds("c/b/.env", "n/k", "pem", "private", "secrets.env")
	p.sh("git init -q . && git add pem")
	p.finds("c/b/.env", "n/k", "private", "secrets.env")
	// The index names another content than the file has.
	p.sh(`git update-index --add --cacheinfo 100644,$(echo x | git hash-object -w --stdin),n/k`)
	p.finds("c/b/.env", "n/k", "private", "secrets.env")
	p.sh("mv c/b d && ln -s ../other n/.env && mkfifo n/.envrc")
	p.finds("d/.env", "n/.envrc", "n/k", "other", "private", "secrets.env")
}

// TestKeys checks which texts are private keys.
func TestKeys(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for name, tt := range map[string]struct {
		text string
		want bool
	}{
		"pkcs8":   {keyText, true},
		"rsa":     {strings.ReplaceAll(keyText, "PRIVATE", "RSA PRIVATE"), true},
		"openssh": {strings.ReplaceAll(keyText, "PRIVATE", "OPENSSH PRIVATE"), true},
		"pgp":     {strings.ReplaceAll(keyText, "KEY", "KEY BLOCK"), true},
		"windows": {strings.ReplaceAll(keyText, "\n", "\r\n"), true},
		"chain":   {strings.ReplaceAll(keyText, "PRIVATE KEY", "CERTIFICATE") + keyText, true},
		"json":    {fmt.Sprintf(`{"type": "account", "private_key": %q}`, keyText), true},
		"env":     {"A=1\nKEY=\"" + keyText + "\"\n", true},
		"yaml":    {"key: |\n  " + strings.ReplaceAll(keyText, "\n", "\n  "), true},
		"cut":     {keyText[:40], true},
		"header":  {keyText[:27], true},
		"public":  {strings.ReplaceAll(keyText, "PRIVATE", "PUBLIC"), false},
		"source":  {"package a\n\nconst begin = \"-----BEGIN PRIVATE KEY-----\"\nconst end = \"-----END PRIVATE KEY-----\"\n", false},
		"prose":   {"A file begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----.\n" + strings.Repeat("x", 64), false},
		"large":   {keyText + strings.Repeat("x", 1<<16), false},
	} {
		path := filepath.Join(p.dir, name)
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(p.finder.Find([]string{p.dir}).Hits, func(h hidden.Hit) bool { return h.Path == path })
		if _, alone := (&hidden.Rules{Dir: p.dir}).Key(path); found != tt.want || alone != tt.want {
			t.Errorf("%s: found %v, alone %v", name, found, alone)
		}
	}
}

// TestManyFiles writes more files than a search reads. The next searches read the others.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.sh(fmt.Sprintf(`seq -f %%064g %d | split -l 1 -a 4 - f && printf %%s "$KEY" >zzzz`, hidden.MaxLooked+100))
	for searches := 1; p.finder.Find([]string{p.dir}).Later; searches++ {
		if searches == 3 {
			t.Fatal("files are still not looked at")
		}
	}
	p.finds("zzzz")
}

// TestBlocked takes the right to read a directory away, as confined code can.
func TestBlocked(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		testneed.Missing(t, testneed.OrdinaryUser, "root reads every directory")
	}
	p := newPlace(t, ".env")
	p.sh("mkdir a && echo x >a/.env && chmod 0 a")
	defer p.sh("chmod 700 a")
	p.finds("a")
}

// TestClosed looks at a directory of root that this user cannot enter: confined code cannot either, so it is not hidden.
func TestClosed(t *testing.T) {
	t.Parallel()
	const dir = "/root"
	if _, err := os.ReadDir(dir); !os.IsPermission(err) {
		testneed.Missing(t, testneed.OrdinaryUser, "this user can read "+dir)
	}
	finder := hidden.NewFinder(&hidden.Rules{Dir: "/"})
	t.Cleanup(finder.Close)
	if found := finder.Find([]string{dir}); len(found.Hits)+len(found.Unread) > 0 {
		t.Errorf("got %+v", found)
	}
}
