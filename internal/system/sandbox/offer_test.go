package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/sandbox"
)

// scene makes a home directory with a project and other files in it, and returns the home directory.
func offerScene(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	key := "-----BEGIN OPENSSH PRIVATE KEY-----\n" + strings.Repeat("b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n", 4) + "-----END OPENSSH PRIVATE KEY-----\n"
	for name, text := range map[string]string{
		"home/work/project/x": "", "home/work/other/x": "", "home/diary.txt": "", "home/.ssh/id": key, "home/work/deploy": key, "home/.netrc": "",
		"home/.config/tool/token": "", "home/bin/tool": "", "home/.profile": "", "home/.aura/x": "", "home/work/secret/hidden": "",
		"elsewhere/x": "",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "home/work/run.sh"), nil, 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	for link, target := range map[string]string{"home/work/link": "../diary.txt", "home/work/keys": "../.ssh"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(root, "home")
}

// TestOffer has a row for each kind of path that a policy refuses: what the user can be asked about it.
func TestOffer(t *testing.T) {
	t.Parallel()
	home := offerScene(t)
	at := sandbox.Place{
		Workdir: filepath.Join(home, "work/project"), Home: home, Temp: filepath.Join(home, "work/project/tmp"), Path: []string{filepath.Join(home, "bin")},
		Settings: []string{filepath.Join(home, ".aura")}, Hidden: []string{filepath.Join(home, "work/secret/hidden")},
	}
	p := sandbox.Compose(at, sandbox.KindShell, sandbox.Config{Extra: sandbox.Paths{ReadOnly: []string{filepath.Join(home, "work/other")}}})
	nothing, all, tree, outside := sandbox.Offer{}, sandbox.Offer{Path: true, Outside: true}, sandbox.Offer{Path: true, Tree: true, Outside: true}, sandbox.Offer{Outside: true}
	created := sandbox.Offer{Path: true, Create: true, Outside: true}
	for _, row := range []struct {
		path        string
		read, write sandbox.Offer
	}{
		{"diary.txt", all, all},
		{"work/link", all, all},
		{"work/project/../../diary.txt", all, all},
		{"new.txt", nothing, created},
		{"none/new.txt", nothing, sandbox.Offer{Outside: true, Create: true}},
		{"work/deploy", nothing, nothing}, // a private key
		{"work/run.sh", all, nothing},
		{"work/secret", outside, outside},
		{"work/secret/hidden", nothing, nothing},
		{".", outside, outside},
		{"work", outside, outside},
		{"..", outside, outside},
		{"/", outside, outside},
		{".ssh/id", nothing, nothing},
		{".ssh", nothing, nothing},
		{"work/keys/id", nothing, nothing},
		{".netrc", nothing, nothing},
		{".profile", all, nothing},
		{".config", outside, nothing},
		{".config/tool/token", all, nothing},
		{".aura/x", nothing, nothing},
		{"bin/other", nothing, nothing},
		{"../elsewhere", tree, outside},
		{"../elsewhere/x", all, outside},
		{"/etc/shadow", all, nothing},
		{"/etc/cron.d", tree, nothing},
		{"/proc/1/environ", outside, nothing},
		{"/dev/mem", nothing, nothing},
		{"new\n.txt", nothing, nothing},
		{"new\u202e.txt", nothing, nothing},
		{"new\xff.txt", nothing, nothing},
	} {
		path := row.path
		if !filepath.IsAbs(path) {
			path = home + "/" + path
		}
		for write, want := range map[bool]sandbox.Offer{false: row.read, true: row.write} {
			access := sandbox.Access{Read: []string{path}}
			if write {
				access = sandbox.Access{Write: []string{path}}
			}
			denied := sandbox.Refusal(p, path, write)
			if denied == nil && !write && want == nothing {
				continue // it is readable
			}
			if denied == nil || sandbox.Check(p, at.Workdir, access) == nil {
				t.Errorf("%q: it is not refused (writing: %v)", row.path, write)
				continue
			}
			if _, err := os.Lstat(denied.Resolved); err != nil && strings.HasPrefix(row.path, "/") {
				continue // this machine does not have it
			}
			if got := at.Offer(p, *denied); got != want {
				t.Errorf("%q (writing: %v): got %+v, want %+v", row.path, write, got, want)
			}
		}
	}
}

// TestGranted checks which refusals a grant lifts.
func TestGranted(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		denied      sandbox.DeniedError
		read, write []string
		want        bool
	}{
		"read":            {sandbox.DeniedError{Resolved: "/a"}, []string{"/a"}, nil, true},
		"below":           {sandbox.DeniedError{Resolved: "/a/b"}, []string{"/a"}, nil, true},
		"beside":          {sandbox.DeniedError{Resolved: "/ab"}, []string{"/a"}, nil, false},
		"writable":        {sandbox.DeniedError{Resolved: "/a"}, nil, []string{"/a"}, true},
		"written":         {sandbox.DeniedError{Resolved: "/a", Write: true}, nil, []string{"/a"}, true},
		"only readable":   {sandbox.DeniedError{Resolved: "/a", Write: true}, []string{"/a"}, nil, false},
		"written below":   {sandbox.DeniedError{Resolved: "/a/b", Write: true}, nil, []string{"/a"}, false},
		"closed":          {sandbox.DeniedError{Resolved: "/a", Closed: true}, []string{"/a"}, []string{"/a"}, false},
		"closed, written": {sandbox.DeniedError{Resolved: "/a", Write: true, Closed: true}, []string{"/a"}, []string{"/a"}, false},
	} {
		if got := row.denied.Granted(row.read, row.write); got != row.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// TestAllowing checks that a grant shows no secret, and that a path that leads elsewhere by now grants nothing.
func TestAllowing(t *testing.T) {
	t.Parallel()
	home := offerScene(t)
	at := sandbox.Place{Workdir: filepath.Join(home, "work/project"), Home: home}
	p := sandbox.Compose(at, sandbox.KindFiles, sandbox.Config{})
	diary, link := filepath.Join(home, "diary.txt"), filepath.Join(home, "work/link")
	allowed := p.Allowing(at, []string{home, link}, []string{diary})
	for path, want := range map[string]bool{diary: true, filepath.Join(home, "work/other/x"): true, filepath.Join(home, ".ssh/id"): false} {
		if got := sandbox.Refusal(allowed, path, false) == nil; got != want {
			t.Errorf("reading %s: %v", path, got)
		}
	}
	if got := p.Allowing(at, []string{link}, []string{link}); sandbox.Refusal(got, diary, false) == nil {
		t.Error("a link grants what it leads to")
	}
	if sandbox.Refusal(allowed, diary, true) != nil || sandbox.Refusal(p, diary, false) == nil {
		t.Error("the file is not granted, or was before")
	}
}
