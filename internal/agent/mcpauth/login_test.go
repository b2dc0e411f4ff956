package mcpauth

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func loggedIn(t *testing.T, a *authority) Store {
	t.Helper()
	s := Store{Dir: filepath.Join(t.TempDir(), "logins")}
	if err := s.Login(t.Context(), a.mcp(), Settings{}, browser(t)); err != nil {
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
		"registered before":    {"no registration", Settings{ClientID: "known", ClientSecret: "s3cret"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAuthority(t, row.wrong)
			s := Store{Dir: filepath.Join(t.TempDir(), "logins")}
			if err := s.Login(t.Context(), a.mcp(), row.settings, browser(t)); err != nil {
				t.Fatal(err)
			}
			token, err := s.Tokens(a.mcp()).Token(t.Context(), "")
			if err != nil || !a.valid(token) {
				t.Errorf("got %q, %v", token, err)
			}
			for path, want := range map[string]os.FileMode{s.Dir: 0o700, s.path(a.mcp()): 0o600} {
				if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
					t.Errorf("%s: %v, %v", path, info, err)
				}
			}
			if secrets := s.Secrets(a.mcp()); len(secrets) < 2 || secrets[0] != token {
				t.Errorf("secrets %q", secrets)
			}
			if token, err := s.Tokens(a.mcp()+"/other").Token(t.Context(), ""); token != "" || err != nil {
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
			a := newAuthority(t, wrong)
			s := Store{Dir: filepath.Join(t.TempDir(), "logins")}
			err := s.Login(t.Context(), a.mcp(), Settings{}, browser(t))
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("got %v, want %s", err, want)
			}
			if s.LoggedIn(a.mcp()) {
				t.Error("a login was kept")
			}
		})
	}
}

// TestMixedUpState refuses the answer to another login, and goes on to wait for its own, which the user pastes.
func TestMixedUpState(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, "")
	s := Store{Dir: filepath.Join(t.TempDir(), "logins")}
	paste, rejected := make(chan string, 3), make(chan error, 3)
	user := User{Paste: paste, Rejected: func(err error) { rejected <- err }, Visit: func(address string) {
		c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		resp, err := c.Get(address)
		if err != nil {
			t.Error(err)
			return
		}
		_ = resp.Body.Close()
		to := resp.Header.Get("Location")
		forged, err := http.Get(strings.Replace(to, "state=", "state=x", 1))
		if err != nil || forged.StatusCode != http.StatusBadRequest {
			t.Errorf("the forged answer got %v, %v", forged, err)
		}
		if err == nil {
			_ = forged.Body.Close()
		}
		paste <- "hello"
		paste <- strings.Replace(to, "state=", "state=x", 1)
		paste <- " " + to + "\n"
	}}
	// The forged answer needs the listener, which serves only once Visit has returned.
	visit := user.Visit
	var visiting sync.WaitGroup
	user.Visit = func(address string) { visiting.Go(func() { visit(address) }) }
	if err := s.Login(t.Context(), a.mcp(), Settings{}, user); err != nil {
		t.Fatal(err)
	}
	visiting.Wait()
	for range 2 {
		if err := <-rejected; !errors.Is(err, errNotOurs) {
			t.Errorf("got %v", err)
		}
	}
	if !s.LoggedIn(a.mcp()) {
		t.Error("not logged in")
	}
}

// TestInterrupted ends a login that waits for the user. Nothing is kept.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, "")
	s := Store{Dir: filepath.Join(t.TempDir(), "logins")}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("the user stopped it")
	err := s.Login(ctx, a.mcp(), Settings{}, User{Visit: func(string) { cancel(stop) }})
	if !errors.Is(err, stop) || s.LoggedIn(a.mcp()) {
		t.Errorf("got %v", err)
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
	expire := func(t *testing.T, a *authority, s Store) {
		t.Helper()
		age(t, s, a.mcp())
	}
	for name, row := range map[string]struct {
		wrong  string
		change func(t *testing.T, a *authority, s Store)
		fail   string
		login  bool // whether the error is ErrNeedsLogin
	}{
		"expired":          {"", expire, "", false},
		"no refresh token": {"no refresh token", expire, "it needs a login", true},
		"revoked": {"", func(t *testing.T, a *authority, s Store) {
			t.Helper()
			age(t, s, a.mcp())
			a.mu.Lock()
			defer a.mu.Unlock()
			clear(a.refreshes)
		}, "it needs a login", true},
		"server fails": {"refresh fails", expire, "503", false},
		"server is dead": {"", func(t *testing.T, a *authority, s Store) {
			t.Helper()
			age(t, s, a.mcp())
			a.Close()
		}, "refreshing the login", false},
		"logged out": {"", func(t *testing.T, a *authority, s Store) {
			t.Helper()
			if found, err := s.Logout(t.Context(), a.mcp()); !found || err != nil {
				t.Error(found, err)
			}
		}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAuthority(t, row.wrong)
			s := loggedIn(t, a)
			row.change(t, a, s)
			token, err := s.Tokens(a.mcp()).Token(t.Context(), "")
			if (err != nil) != (row.fail != "") || err != nil && !strings.Contains(err.Error(), row.fail) || errors.Is(err, ErrNeedsLogin) != row.login {
				t.Errorf("got %v", err)
			}
			if row.fail == "" && name != "logged out" && !a.valid(token) {
				t.Errorf("got %q", token)
			}
		})
	}
}

// TestRefused refreshes a token that the service refuses, although it has not ended.
func TestRefused(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, "")
	tokens := loggedIn(t, a).Tokens(a.mcp())
	renewed := 0
	tokens.OnRenewal(func() { renewed++ })
	first, _ := tokens.Token(t.Context(), "")
	second, err := tokens.Token(t.Context(), first)
	if err != nil || second == first || !a.valid(second) || renewed != 1 {
		t.Errorf("got %q after %q, %v, renewed %d times", second, first, err, renewed)
	}
}

// TestTwoRefreshes lets two auras refresh at once. The refresh token is valid once, so only one of them may ask.
func TestTwoRefreshes(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, "")
	s := loggedIn(t, a)
	age(t, s, a.mcp())
	hold := make(chan struct{})
	a.slow(hold)
	got := make(chan string, 2)
	for range 2 {
		go func() {
			token, err := Store{Dir: s.Dir}.Tokens(a.mcp()).Token(t.Context(), "")
			if err != nil {
				token = err.Error()
			}
			got <- token
		}()
	}
	close(hold)
	first, second := <-got, <-got
	if first != second || !a.valid(first) || a.refreshed != 1 {
		t.Errorf("got %q and %q after %d refreshes", first, second, a.refreshed)
	}
}

// TestSlow ends the wait for a server that does not answer, and keeps the login.
func TestSlow(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, "")
	s := loggedIn(t, a)
	age(t, s, a.mcp())
	hold := make(chan struct{})
	defer close(hold)
	a.slow(hold)
	tokens := s.Tokens(a.mcp())
	tokens.timeout = 50 * time.Millisecond
	if _, err := tokens.Token(t.Context(), ""); err == nil || errors.Is(err, ErrNeedsLogin) {
		t.Errorf("got %v", err)
	}
	if l, err := s.read(a.mcp()); err != nil || l.Refresh == "" {
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
