package sandbox_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// layWide creates a home directory, users/me, with other files and directories around it.
func layWide(t *testing.T) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{
		"users/me/project", "users/me/.ssh", "users/me/.config", "users/me/docs", "users/you", "users/.hidden", "other/project", "tmp",
	} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"users/me/keys": ".ssh", "users/home": "me", "everything": "users"} {
		testneed.Link(t, to, filepath.Join(base, link))
	}
	if err := os.WriteFile(filepath.Join(base, "users/note"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return base
}

// TestWide checks places that would grant too much. All paths except / are below one directory; P is the private directory for
// temporary files.
func TestWide(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		workdir, temp string
		writable      []string
		want          []string
		// warning is part of the only warning; empty means no warning.
		warning string
	}{
		"project":          {"users/me/project", "tmp", nil, []string{"users/me/project", "tmp"}, ""},
		"home":             {"users/me", "tmp", nil, []string{"users/me/docs", "users/me/project", "tmp"}, "is your home directory"},
		"home by a link":   {"users/home", "tmp", nil, []string{"users/home/docs", "users/home/project", "tmp"}, "is your home directory"},
		"root":             {"/", "tmp", nil, []string{"tmp"}, "the whole system"},
		"above the home":   {"users", "tmp", nil, []string{"users/note", "users/you", "tmp"}, "contains your home directory: tools and plugins can write other entries"},
		"further above":    {"", "tmp", nil, []string{"other", "tmp", "tmp"}, "contains your home directory: tools"},
		"beside the home":  {"users/you", "tmp", nil, []string{"users/you", "tmp"}, ""},
		"temporary home":   {"users/me/project", "users/me", nil, []string{"users/me/project", "P"}, "get a private one"},
		"temporary root":   {"users/me/project", "/", nil, []string{"users/me/project", "P"}, "get a private one"},
		"temporary above":  {"users/me/project", "users", nil, []string{"users/me/project", "P"}, "get a private one"},
		"temporary link":   {"users/me/project", "everything", nil, []string{"users/me/project", "P"}, "get a private one"},
		"temporary inside": {"users/me/project", "users/me/docs", nil, []string{"users/me/project", "users/me/docs"}, ""},
		// It is common to have a project below the directory for temporary files.
		"temporary around the project":    {"other/project", "other", nil, []string{"other/project", "other"}, ""},
		"another one that holds the home": {"other/project", "tmp", []string{"users"}, []string{"other/project", "tmp"}, ""},
		"another one":                     {"other/project", "tmp", []string{"other"}, []string{"other/project", "tmp", "other"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := layWide(t)
			full := func(path string) string {
				switch path {
				case "/":
					return path
				case "P":
					return "/private"
				}
				return filepath.Join(base, path)
			}
			at := sandbox.Place{Workdir: full(tt.workdir), Home: full("users/me"), Temp: full(tt.temp), Private: "/private"}
			for _, path := range tt.writable {
				at.Writable = append(at.Writable, full(path))
			}
			p := sandbox.Default(at, sandbox.KindFiles)
			want := make([]string, 0, len(tt.want))
			for _, path := range tt.want {
				want = append(want, full(path))
			}
			if !slices.Equal(p.ReadWrite, want) {
				t.Errorf("rw = %q, want %q", p.ReadWrite, want)
			}
			if slices.Contains(tt.want, "P") != (p.Temp == "/private") || !slices.Contains(p.Protected, filepath.Join(at.Workdir, ".aura")) {
				t.Errorf("temp = %q, protected = %q", p.Temp, p.Protected)
			}
			said := at.Warnings()
			if tt.warning == "" && len(said) > 0 || tt.warning != "" && (len(said) != 1 || !strings.Contains(said[0], tt.warning)) {
				t.Errorf("warnings %q, want %q", said, tt.warning)
			}
		})
	}
}

// TestPrivateTemp checks that settings can remove the private directory together with the tree that contains it.
func TestPrivateTemp(t *testing.T) {
	t.Parallel()
	at := sandbox.Place{Workdir: "/p/work", Home: "/p/home", Temp: "/p", Private: "/private/x"}
	for name, tt := range map[string]struct {
		settings sandbox.Config
		want     string
	}{
		"default":             {sandbox.Config{}, "/private/x"},
		"extra":               {sandbox.Config{Extra: sandbox.Paths{ReadWrite: []string{"/p"}}}, "/private/x"},
		"taken away":          {sandbox.Config{Restrictions: sandbox.Paths{ReadWrite: []string{"out"}}}, ""},
		"granted with others": {sandbox.Config{Restrictions: sandbox.Paths{ReadWrite: []string{"out", "/private"}}}, "/private/x"},
	} {
		p := sandbox.Compose(at, sandbox.KindShell, tt.settings)
		env := p.Environ([]string{"TMPDIR=/p"})
		if p.Temp != tt.want || slices.Contains(p.ReadWrite, "/private/x") != (tt.want != "") || (len(env) == 2) != (tt.want != "") {
			t.Errorf("%s: temp = %q, rw = %q, env = %q", name, p.Temp, p.ReadWrite, env)
		}
		if tt.want != "" && (env[1] != "TMPDIR="+tt.want || !slices.Contains(p.Make, tt.want)) {
			t.Errorf("%s: env = %q, make = %q", name, env, p.Make)
		}
	}
}
