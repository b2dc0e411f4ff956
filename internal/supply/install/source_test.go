package install

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
)

func TestParseSource(t *testing.T) {
	t.Parallel()

	tests := []struct {
		give string
		kind kind
		url  string
		name string
	}{
		{"https://github.com/user/aura-plugin-metrics", kindHTTP, "https://github.com/user/aura-plugin-metrics", "metrics"},
		{"https://github.com/user/aura-plugin-metrics.git", kindHTTP, "https://github.com/user/aura-plugin-metrics.git", "metrics"},
		{"https://github.com/user/collection/", kindHTTP, "https://github.com/user/collection/", "collection"},
		{"HTTPS://example.com:8443/a/b", kindHTTP, "https://example.com:8443/a/b", "b"},
		{"http://127.0.0.1:8080/a", kindHTTP, "http://127.0.0.1:8080/a", "a"},
		{"http://localhost/a", kindHTTP, "http://localhost/a", "a"},
		{"http://[::1]:80/a", kindHTTP, "http://[::1]:80/a", "a"},
		{"git@github.com:user/aura-plugin-metrics.git", kindSSH, "git@github.com:user/aura-plugin-metrics.git", "metrics"},
		{"github.com:user/metrics", kindSSH, "github.com:user/metrics", "metrics"},
		{"ssh://git@example.com:2222/~me/metrics.git", kindSSH, "ssh://git@example.com:2222/~me/metrics.git", "metrics"},
		{"file:///srv/aura-plugin-x.git", kindFile, "file:///srv/aura-plugin-x.git", "x"},
		{"file:///srv/aura-plugin-x/.git", kindFile, "file:///srv/aura-plugin-x/.git", "x"},
		{"https://glenn-smith@example.com/a/x", kindHTTP, "https://glenn-smith@example.com/a/x", "x"},
		{"./aura-plugin-y", kindLocal, "/base/dir/aura-plugin-y", "y"},
		{"../z", kindLocal, "/base/z", "z"},
		{".", kindLocal, "/base/dir", "dir"},
		{"/abs/path", kindLocal, "/abs/path", "path"},
	}
	for _, tt := range tests {
		t.Run(tt.give, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && tt.kind != kindHTTP && tt.kind != kindSSH {
				testneed.Missing(t, testneed.Unix, "paths look different here")
			}
			got, err := parseSource(tt.give, "/base/dir")
			if err != nil || got.kind != tt.kind || got.url != tt.url || got.name() != tt.name {
				t.Errorf("got %+v, name %s, %v", got, got.name(), err)
			}
		})
	}
}

func TestParseSourceRefuses(t *testing.T) {
	t.Parallel()

	tests := []struct{ name, give, want string }{
		{"nothing", "", "empty"},
		{"helper", "ext::sh -c touch% /x", "helper program"},
		{"another helper", "fd::17/x", "helper program"},
		{"option", "--upload-pack=touch x", "looks like an option"},
		{"short option", "-oProxyCommand=x", "looks like an option"},
		{"option as host", "ssh://-oProxyCommand=x/y", "the host begins with a hyphen"},
		{"option as host of scp", "git@-oProxyCommand=x:y", "the host begins with a hyphen"},
		{"option as user", "ssh://-l@host/y", "the user begins with a hyphen"},
		{"option as path", "ssh://host/--upload-pack=x", "the path begins with a hyphen"},
		{"option as path of scp", "host:-x", "the path begins with a hyphen"},
		{"password", "https://me:hunter2@example.com/x", "holds a password"},
		{"password over ssh", "ssh://me:hunter2@example.com/x", "holds a password"},
		{"token of github as user", "https://ghp_hunter2@github.com/x", "holds a token"},
		{"token of gitlab as user", "https://glpat-hunter2@gitlab.com/x", "holds a token"},
		{"file without slashes", "file:x/y", "two slashes"},
		{"https without slashes", "https:example.com/x", "two slashes"},
		{"unreadable", "https://me:hunter2@exa mple.com/%zz", "the URL cannot be read"},
		{"plain http", "http://example.com/x", "use https"},
		{"unknown", "ftp://example.com/x", `"ftp" is not supported`},
		{"git's own", "git://example.com/x", `"git" is not supported`},
		{"query", "https://example.com/x?ref=main", "--ref"},
		{"fragment", "https://example.com/x#main", "--ref"},
		{"no host", "https:///x", "names no host"},
		{"no repository", "https://example.com/", "names no repository"},
		{"file with host", "file://server/share", "three slashes"},
		{"control character", "https://example.com/x\x1b[31m", "cannot be printed"},
		{"newline", "https://example.com/x\nhost=evil", "cannot be printed"},
		{"bidi", "https://example.com/\u202ex", "cannot be printed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := parseSource(tt.give, t.TempDir())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %s", err, tt.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the password is shown: %v", err)
			}
		})
	}
}

func TestNames(t *testing.T) {
	t.Parallel()

	for _, name := range []string{"", "..", "a/b", `a\b`, "../x", ".hidden", "vendor", "-x", "a\x00", "a*", "C:"} {
		if checkName(name) == nil {
			t.Errorf("%q is accepted as a name", name)
		}
	}
	for _, sub := range []string{"", "/abs", "..", "a/../../b", ".git", "a/vendor/b", `..\x`} {
		if got, err := checkSubpath(sub); err == nil {
			t.Errorf("%q is accepted as a subpath, as %s", sub, got)
		}
	}
	for _, tt := range [][2]string{
		{"a b", "a b"},
		{"a b a", "a b"},
		{"a a/one b/two", "a b/two"},
		{"a/one a", "a"},
		{"a ab", "a ab"},
		{"a .", ""},
	} {
		if got := outermost(strings.Fields(tt[0])); strings.Join(got, " ") != tt[1] {
			t.Errorf("of %s there are left %q", tt[0], got)
		}
	}
	if got, err := checkSubpath("./a//b/"); got != "a/b" || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestCheckPath(t *testing.T) {
	t.Parallel()

	tests := []struct {
		name, give string
		ok         bool
	}{
		{"plain", "a/b.go", true},
		{"hidden", ".github/x", true},
		{"blank", "a b/c", true},
		{"accents", "é/ü", true},
		{"dots in a name", "a..b", true},
		{"empty", "", false},
		{"up", "../x", false},
		{"up in the middle", "a/../b", false},
		{"here", "./x", false},
		{"absolute", "/etc/x", false},
		{"drive", "C:/x", false},
		{"backslash", `a\..\b`, false},
		{"control", "a\x07", false},
		{"escape", "a\x1b[0m", false},
		{"newline", "a\nb", false},
		{"not UTF-8", "a\xff", false},
		{"git's", ".git/config", false},
		{"git's in other case", "a/.GIT/hooks", false},
		{"git's short name", "GIT~1/config", false},
		{"doubled slash", "a//b", false},
		{"long", strings.Repeat("x", maxPath+1), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := checkPath(tt.give); (err == nil) != tt.ok {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestTokenHosts(t *testing.T) {
	t.Parallel()

	tests := []struct {
		url     string
		environ []string
		want    string
	}{
		{"https://github.com/a/b", nil, "GITHUB_TOKEN GIT_TOKEN"},
		{"https://GitHub.com./a/b", nil, "GITHUB_TOKEN GIT_TOKEN"},
		{"https://octo.ghe.com/a/b", nil, "GITHUB_TOKEN GIT_TOKEN"},
		{"https://gitlab.com/a/b", nil, "GITLAB_TOKEN GIT_TOKEN"},
		{"https://example.com/a", nil, "GIT_TOKEN"},
		{"https://github.com.evil.example/a", nil, "GIT_TOKEN"},
		{"https://evilgithub.com/a", nil, "GIT_TOKEN"},
		{"https://gitlab.evil.example/a", nil, "GIT_TOKEN"},
		{"https://gitlab.corp.example/a", []string{"GITLAB_HOST=gitlab.corp.example"}, "GITLAB_TOKEN GIT_TOKEN"},
		{"https://git.corp.example/a", []string{"GITHUB_SERVER_URL=https://git.corp.example"}, "GITHUB_TOKEN GIT_TOKEN"},
		{"https://git.corp.example:444/a", []string{"GITHUB_SERVER_URL=https://git.corp.example"}, "GIT_TOKEN"},
		{"https://git.corp.example:444/a", []string{"GITHUB_SERVER_URL=https://git.corp.example:444"}, "GITHUB_TOKEN GIT_TOKEN"},
		{"https://example.com/a", []string{"GITHUB_SERVER_URL="}, "GIT_TOKEN"},
	}
	for _, tt := range tests {
		t.Run(tt.url, func(t *testing.T) {
			t.Parallel()
			s, err := parseSource(tt.url, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Environ: append(tt.environ, "GITHUB_TOKEN=a", "GITLAB_TOKEN=b", "GIT_TOKEN=c")}
			var got []string
			for c := range o.credentials(t.Context(), s) {
				if c.secret != "" {
					got = append(got, c.name)
				}
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %v, want %s", got, tt.want)
			}
		})
	}
}

func FuzzParseSource(f *testing.F) {
	for _, seed := range []string{"https://a/b", "git@h:p", "ext::x", "-x", "file:///a", "a:b:c", "[::1]:x", "ssh://u@h:1/p", "C:\\x", "::", "://", "a@b@c:d"} {
		f.Add(seed)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseSource(text, dir)
		if err != nil {
			return
		}
		if s.kind == kindHTTP || s.kind == kindSSH {
			if s.host == "" || strings.HasPrefix(s.host, "-") || strings.HasPrefix(s.user, "-") {
				t.Errorf("%q became %+v", text, s)
			}
		} else if !filepath.IsAbs(s.dir) {
			t.Errorf("%q became %+v", text, s)
		}
		_ = checkName(s.name())
	})
}

func FuzzCheckPath(f *testing.F) {
	for _, seed := range []string{"a/b", "../x", ".git/x", "/x", "a\x00b", `\\server\x`, "C:/x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if checkPath(name) == nil && !filepath.IsLocal(filepath.FromSlash(name)) {
			t.Errorf("%q leads elsewhere", name)
		}
	})
}
