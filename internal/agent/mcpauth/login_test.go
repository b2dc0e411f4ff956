package mcpauth

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/mcpauth/authtest"
)

// browser returns a user who opens each address in a browser.
func browser(t *testing.T) User {
	t.Helper()
	var open sync.WaitGroup
	t.Cleanup(open.Wait)
	return User{Visit: func(address string) {
		open.Go(func() {
			resp, err := http.Get(address)
			if err == nil {
				_ = resp.Body.Close()
			}
		})
	}}
}

func loggedIn(t *testing.T, a *authtest.Authority) Store {
	t.Helper()
	s := Store{Dir: filepath.Join(t.TempDir(), "logins")}
	if err := s.Login(t.Context(), a.MCP(), Settings{}, browser(t)); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestLogin has a row for each way to be known to an authorization server.
func TestLogin(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		wrong    string
		settings Settings
	}{
		"dynamic registration": {},
		"metadata document":    {"no registration", Settings{ClientMetadata: "https://aura.invalid/client.json"}},
		"promises no iss":      {wrong: "promises no iss"},
		"registered before":    {"no registration", Settings{ClientID: "known", ClientSecret: "s3cret"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := authtest.New(t, row.wrong, nil)
			s := Store{Dir: filepath.Join(t.TempDir(), "logins")}
			if err := s.Login(t.Context(), a.MCP(), row.settings, browser(t)); err != nil {
				t.Fatal(err)
			}
			token, err := s.Tokens(a.MCP()).Token(t.Context(), "")
			if err != nil || !a.Valid(token) {
				t.Errorf("got %q, %v", token, err)
			}
			for path, want := range map[string]os.FileMode{s.Dir: 0o700, s.path(a.MCP()): 0o600} {
				if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
					t.Errorf("%s: %v, %v", path, info, err)
				}
			}
			if secrets := s.Secrets(a.MCP()); len(secrets) < 2 || secrets[0] != token {
				t.Errorf("secrets %q", secrets)
			}
			if token, err := s.Tokens(a.MCP()+"/other").Token(t.Context(), ""); token != "" || err != nil {
				t.Errorf("another address gets %q, %v", token, err)
			}
		})
	}
}

// TestWrongAnswers has a row for each wrong answer to a login. None leaves a login.
func TestWrongAnswers(t *testing.T) {
	t.Parallel()
	for wrong, want := range map[string]string{
		"no login wanted":          "it wants no login: without one it answers 200 OK",
		"wrong resource":           "is for another resource",
		"no authorization server":  "names no authorization server",
		"plain http":               "http://login.invalid is not HTTPS",
		"metadata redirects":       "it redirects to http://127.0.0.1:1",
		"wrong issuer":             "does not match issuer",
		"no S256":                  "it does not support PKCE with S256",
		"no registration":          "set auth.client_id",
		"registration refused":     "set auth.client_id",
		"token endpoint elsewhere": "token_endpoint",
		"mix-up":                   `the answer comes from issuer "https://honest.invalid"`,
		"other iss":                `the answer comes from issuer "https://evil.invalid"`,
		"no iss":                   `the answer comes from issuer ""`,
		"user refuses":             "refuses the login: access_denied",
		"no code":                  "the answer has no code",
		"no token":                 "its answer has no token",
		"other type":               "not a bearer token",
		"broken token":             "characters that no token has",
		"token redirects":          "it redirects to http://127.0.0.1:1",
		"not JSON":                 "not the JSON that is expected",
	} {
		t.Run(wrong, func(t *testing.T) {
			t.Parallel()
			a := authtest.New(t, wrong, nil)
			s := Store{Dir: filepath.Join(t.TempDir(), "logins")}
			err := s.Login(t.Context(), a.MCP(), Settings{}, browser(t))
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("got %v, want %s", err, want)
			}
			if s.LoggedIn(a.MCP()) {
				t.Error("a login was kept")
			}
		})
	}
}

// TestInterrupted ends a login that waits for the user. Nothing is kept.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	a := authtest.New(t, "", nil)
	s := Store{Dir: filepath.Join(t.TempDir(), "logins")}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("the user stopped it")
	err := s.Login(ctx, a.MCP(), Settings{}, User{Visit: func(string) { cancel(stop) }})
	if !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(s.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s was left: %v", s.Dir, err)
	}
}

// TestUnanswered has a row for each server that does not answer a login. The login ends with ctx, and nothing is kept.
func TestUnanswered(t *testing.T) {
	t.Parallel()
	for _, wrong := range []string{"service is slow", "metadata is slow", "token is slow"} {
		t.Run(wrong, func(t *testing.T) {
			t.Parallel()
			a := authtest.New(t, wrong, nil)
			s := Store{Dir: filepath.Join(t.TempDir(), "logins")}
			stop := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				<-a.Reached
				cancel(stop)
			}()
			if err := s.Login(ctx, a.MCP(), Settings{}, browser(t)); err == nil || s.LoggedIn(a.MCP()) {
				t.Errorf("got %v", err)
			}
		})
	}
	a := authtest.New(t, "", nil)
	a.Close()
	if err := (Store{Dir: t.TempDir()}).Login(t.Context(), a.MCP(), Settings{}, browser(t)); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("a dead server: %v", err)
	}
}

// TestScopes has a row for each way in which a server asks for more scopes than the login has.
func TestScopes(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		lacks    []string
		settings Settings
		lack     string // the error of Lacks
		fail     string // the error of the next login
		asked    string // the scopes of the next login
	}{
		"further scopes":   {lacks: []string{"admin", "read"}, lack: "it needs a login with the scopes admin", asked: "read write admin"},
		"what it has":      {lacks: []string{"write", "read"}, asked: "read write"},
		"none":             {asked: "read write"},
		"no scopes at all": {lacks: []string{"a\x1b[2J", `"`, "", strings.Repeat("x", maxScope+1)}, asked: "read write"},
		"in the settings":  {lacks: []string{"admin"}, settings: Settings{Scopes: []string{"admin", "read"}}, lack: "admin", asked: "admin read"},
		"not in settings":  {lacks: []string{"admin"}, settings: Settings{Scopes: []string{"read"}}, lack: "admin", fail: "add admin"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := authtest.New(t, "any scope", nil)
			s := loggedIn(t, a)
			tokens := s.Tokens(a.MCP())
			for range 2 { // again and again changes nothing
				err := tokens.Lacks(t.Context(), row.lacks)
				if (err != nil) != (row.lack != "") || err != nil && (!strings.Contains(err.Error(), row.lack) || !errors.Is(err, ErrNeedsLogin)) {
					t.Errorf("got %v", err)
				}
				if need := tokens.Needs(); (need != nil) != (err != nil) {
					t.Errorf("needs %v after %v", need, err)
				}
			}
			if token, err := tokens.Token(t.Context(), ""); err != nil || !a.Valid(token) {
				t.Errorf("the token that it has: %q, %v", token, err)
			}
			err := s.Login(t.Context(), a.MCP(), row.settings, browser(t))
			if (err != nil) != (row.fail != "") || err != nil && !strings.Contains(err.Error(), row.fail) {
				t.Errorf("got %v", err)
			}
			if err == nil && (a.Scope() != row.asked || tokens.Needs() != nil) {
				t.Errorf("asked for %q, and needs %v", a.Scope(), tokens.Needs())
			}
		})
	}
	a := authtest.New(t, "", nil)
	if s := loggedIn(t, a); s.Tokens(a.MCP()+"/x").Lacks(t.Context(), []string{"a"}) != nil {
		t.Error("an address without a login lacks scopes")
	}
}

// age makes the token of a login expire.
func age(t *testing.T, s Store, url string) {
	t.Helper()
	l, err := s.read(url)
	if err != nil || l == nil {
		t.Fatal(err)
	}
	l.Expires = time.Now()
	if err := s.write(l); err != nil {
		t.Fatal(err)
	}
}

// TestRefresh has a row for each way in which a token ends.
func TestRefresh(t *testing.T) {
	t.Parallel()
	expire := func(t *testing.T, a *authtest.Authority, s Store) {
		t.Helper()
		age(t, s, a.MCP())
	}
	for name, row := range map[string]struct {
		wrong  string
		change func(t *testing.T, a *authtest.Authority, s Store)
		fail   string
		login  bool // whether the error is ErrNeedsLogin
	}{
		"expired":          {"", expire, "", false},
		"no refresh token": {"no refresh token", expire, "it needs a login", true},
		"revoked": {"", func(t *testing.T, a *authtest.Authority, s Store) {
			t.Helper()
			age(t, s, a.MCP())
			a.Revoke()
		}, "it needs a login", true},
		"server fails": {"refresh fails", expire, "503", false},
		"server is dead": {"", func(t *testing.T, a *authtest.Authority, s Store) {
			t.Helper()
			age(t, s, a.MCP())
			a.Close()
		}, "refreshing the login", false},
		"logged out": {"", func(t *testing.T, a *authtest.Authority, s Store) {
			t.Helper()
			if found, err := s.Logout(t.Context(), a.MCP()); !found || err != nil {
				t.Error(found, err)
			}
		}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := authtest.New(t, row.wrong, nil)
			s := loggedIn(t, a)
			row.change(t, a, s)
			token, err := s.Tokens(a.MCP()).Token(t.Context(), "")
			if (err != nil) != (row.fail != "") || err != nil && !strings.Contains(err.Error(), row.fail) || errors.Is(err, ErrNeedsLogin) != row.login {
				t.Errorf("got %v", err)
			}
			if row.fail == "" && name != "logged out" && !a.Valid(token) {
				t.Errorf("got %q", token)
			}
		})
	}
}

// TestRefused refreshes a token that the service refuses, although it has not ended.
func TestRefused(t *testing.T) {
	t.Parallel()
	a := authtest.New(t, "", nil)
	tokens := loggedIn(t, a).Tokens(a.MCP())
	renewed := 0
	tokens.OnRenewal(func() { renewed++ })
	first, _ := tokens.Token(t.Context(), "")
	second, err := tokens.Token(t.Context(), first)
	if err != nil || second == first || !a.Valid(second) || renewed != 1 {
		t.Errorf("got %q after %q, %v, renewed %d times", second, first, err, renewed)
	}
}

// TestTwoRefreshes lets two auras refresh at once. The refresh token is valid once, so only one of them may ask.
func TestTwoRefreshes(t *testing.T) {
	t.Parallel()
	a := authtest.New(t, "", nil)
	s := loggedIn(t, a)
	age(t, s, a.MCP())
	hold := make(chan struct{})
	a.Hold(hold)
	got := make(chan string, 2)
	for range 2 {
		go func() {
			token, err := Store{Dir: s.Dir}.Tokens(a.MCP()).Token(t.Context(), "")
			if err != nil {
				token = err.Error()
			}
			got <- token
		}()
	}
	close(hold)
	first, second := <-got, <-got
	if first != second || !a.Valid(first) || a.Counts().Refreshed != 1 {
		t.Errorf("got %q and %q after %d refreshes", first, second, a.Counts().Refreshed)
	}
}

// TestSlow ends the wait for a server that does not answer, and keeps the login.
func TestSlow(t *testing.T) {
	t.Parallel()
	a := authtest.New(t, "", nil)
	s := loggedIn(t, a)
	age(t, s, a.MCP())
	hold := make(chan struct{})
	defer close(hold)
	a.Hold(hold)
	tokens := s.Tokens(a.MCP())
	tokens.timeout = 50 * time.Millisecond
	if _, err := tokens.Token(t.Context(), ""); err == nil || errors.Is(err, ErrNeedsLogin) {
		t.Errorf("got %v", err)
	}
	if l, err := s.read(a.MCP()); err != nil || l.Refresh == "" {
		t.Errorf("the login is %+v, %v", l, err)
	}
}

// TestDamaged refuses files that aura does not write: links, other content, and the login for another address.
func TestDamaged(t *testing.T) {
	t.Parallel()
	other, err := json.Marshal(login{Version: version, URL: "https://other.invalid", Access: "stolen"})
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(path string) error{
		"no JSON":         func(path string) error { return os.WriteFile(path, []byte("{"), 0o600) },
		"another address": func(path string) error { return os.WriteFile(path, other, 0o600) },
		"a link":          func(path string) error { return os.Symlink(os.DevNull, path) },
	} {
		s := Store{Dir: t.TempDir()}
		if err := write(s.path("https://a.invalid")); err != nil {
			t.Fatal(err)
		}
		if token, err := s.Tokens("https://a.invalid").Token(t.Context(), ""); err == nil || token != "" {
			t.Errorf("%s: got %q", name, token)
		}
	}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	const server = "https://a.invalid/x/mcp"
	for resource, want := range map[string]bool{
		server: true, "https://a.invalid": true, "https://A.invalid/x": true, "https://a.invalid/x/mcp/": true,
		"https://a.invalid/x/m": false, "https://b.invalid/x/mcp": false, "http://a.invalid/x/mcp": false, "https://u@a.invalid": false, "": false,
		"https://a.invalid/x/mcp?y": false, "https://a.invalid:8443/x/mcp": false,
	} {
		if covers(resource, server) != want {
			t.Errorf("%q: want %t", resource, want)
		}
	}
}
