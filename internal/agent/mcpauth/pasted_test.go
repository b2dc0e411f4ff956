package mcpauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/mcpauth/authtest"
)

// TestMixedUpState refuses the answer to another login, from the browser and from the user, and goes on to wait for its own, which the user pastes.
func TestMixedUpState(t *testing.T) {
	t.Parallel()
	for name, own := range map[string]func(address string) string{
		"the address":            func(address string) string { return " " + address + "\n" },
		"from the question mark": func(address string) string { return address[strings.Index(address, "?"):] },
		"with a fragment":        func(address string) string { return address + "#" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := authtest.New(t, "", nil)
			s := Store{Dir: filepath.Join(t.TempDir(), "logins")}
			page := make(chan string, 1)
			user := User{Visit: func(address string) { page <- address }, Paste: func(_ context.Context, check func(string) error) (string, bool, error) {
				c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
				resp, err := c.Get(<-page)
				if err != nil {
					return "", false, err
				}
				_ = resp.Body.Close()
				to := resp.Header.Get("Location")
				mixed := strings.Replace(to, "state=", "state=x", 1)
				forged, err := http.Get(mixed)
				if err != nil || forged.StatusCode != http.StatusBadRequest {
					t.Errorf("the forged answer got %v, %v", forged, err)
				}
				if err == nil {
					_ = forged.Body.Close()
				}
				u, err := url.Parse(to)
				if err != nil {
					return "", false, err
				}
				for _, wrong := range []string{"", "hello", mixed, u.Query().Get("code"), "?code=" + u.Query().Get("code"), strings.Replace(to, "127.0.0.1", "evil.invalid", 1)} {
					if err := check(wrong); !errors.Is(err, errNotOurs) {
						t.Errorf("%q: got %v", wrong, err)
					}
				}
				return own(to), true, check(own(to))
			}}
			if err := s.Login(t.Context(), a.MCP(), Settings{}, user); err != nil || !s.LoggedIn(a.MCP()) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestPasted has a row for each server and form of its answer that a user pastes. A code alone is never taken: the login goes on and waits. An answer of another
// issuer ends the login.
func TestPasted(t *testing.T) {
	t.Parallel()
	whole := func(to *url.URL) string { return to.String() }
	code := func(to *url.URL) string { return to.Query().Get("code") }
	for name, row := range map[string]struct {
		wrong string
		paste func(to *url.URL) string
		want  string // empty for a login
	}{
		"address":                     {"", whole, ""},
		"address, no iss promised":    {"promises no iss", whole, ""},
		"code":                        {"", code, "a code alone does not show which server issued it; paste the whole address"},
		"code, no iss promised":       {"promises no iss", code, "a code alone"},
		"code of a mix-up":            {"mix-up", code, "a code alone"},
		"code and state of a mix-up":  {"mix-up", func(to *url.URL) string { return code(to) + "#" + to.Query().Get("state") }, "a code alone"},
		"address of a mix-up":         {"mix-up", whole, `from issuer "https://honest.invalid"`},
		"address of another issuer":   {"other iss", whole, `from issuer "https://evil.invalid"`},
		"address without its issuer":  {"no iss", whole, `from issuer ""`},
		"address of a refused login":  {"user refuses", whole, "refuses the login"},
		"address of another redirect": {"", func(to *url.URL) string { return "http://evil.invalid/callback?" + to.RawQuery }, "not the answer to this login"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := authtest.New(t, row.wrong, nil)
			s := Store{Dir: filepath.Join(t.TempDir(), "logins")}
			page := make(chan string, 1)
			err := s.Login(t.Context(), a.MCP(), Settings{}, User{Visit: func(address string) { page <- address }, Paste: func(_ context.Context, check func(string) error) (string, bool, error) {
				c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
				resp, err := c.Get(<-page)
				if err != nil {
					return "", false, err
				}
				_ = resp.Body.Close()
				to, err := resp.Location()
				if err != nil {
					return "", false, err
				}
				text := row.paste(to)
				return text, true, check(text)
			}})
			if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
				t.Errorf("got %v, want %q", err, row.want)
			}
			if s.LoggedIn(a.MCP()) != (row.want == "") {
				t.Errorf("logged in: %v", s.LoggedIn(a.MCP()))
			}
		})
	}
}
