package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/agent/mcpauth"
)

// guardedService is a service that wants a login, and its authorization server, which agrees to everything. Each token is named after its number.
type guardedService struct {
	*httptest.Server
	mu sync.Mutex
	// issued counts the tokens. Only the last one is valid, and none if revoked is set.
	issued  int
	revoked bool
	// elsewhere holds the tokens that came to another address.
	elsewhere []string
	// moved redirects the service.
	moved bool
	// scope, if not empty, is what calls of tools lack; calls counts them.
	scope string
	calls int
}

func newGuardedService(t *testing.T) *guardedService {
	t.Helper()
	g := &guardedService{}
	server := goodServer(10, nil)
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { g.serve(w, r, inner) }))
	t.Cleanup(g.Close)
	t.Cleanup(g.CloseClientConnections)
	return g
}

func (g *guardedService) serve(w http.ResponseWriter, r *http.Request, inner http.Handler) {
	say := func(value any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(value)
	}
	g.mu.Lock()
	defer func() {
		g.mu.Unlock()
		if r.URL.Path == "/mcp" && w.Header().Get("X-Inner") != "" {
			w.Header().Del("X-Inner")
			inner.ServeHTTP(w, r)
		}
	}()
	token := r.Header.Get("Authorization")
	switch r.URL.Path {
	case "/mcp":
		switch {
		case g.moved:
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		case g.issued == 0 || g.revoked || token != g.last():
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.WriteHeader(http.StatusUnauthorized)
		case g.scope != "" && isCall(r):
			g.calls++
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer error="insufficient_scope", scope=%q`, g.scope))
			w.WriteHeader(http.StatusForbidden)
		default:
			w.Header().Set("X-Inner", "yes")
		}
	case "/.well-known/oauth-protected-resource/mcp":
		say(map[string]any{"resource": g.URL + "/mcp", "authorization_servers": []string{g.URL}})
	case "/.well-known/oauth-authorization-server":
		say(map[string]any{
			"issuer": g.URL, "authorization_endpoint": g.URL + "/authorize", "token_endpoint": g.URL + "/token", "code_challenge_methods_supported": []string{"S256"},
		})
	case "/authorize":
		q := r.URL.Query()
		http.Redirect(w, r, q.Get("redirect_uri")+"?code=x&state="+q.Get("state"), http.StatusFound)
	case "/token":
		if g.revoked {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		g.issued++
		say(map[string]any{"access_token": strings.TrimPrefix(g.last(), "Bearer "), "token_type": "Bearer", "expires_in": 3600, "refresh_token": "r"})
	default:
		g.elsewhere = append(g.elsewhere, token)
		w.WriteHeader(http.StatusNotFound)
	}
}

// isCall reports whether a request calls a tool.
func isCall(r *http.Request) bool {
	data, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(data))
	return bytes.Contains(data, []byte(`"tools/call"`))
}

func (g *guardedService) last() string { return "Bearer token-" + strings.Repeat("i", g.issued) }

func (g *guardedService) set(change func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change()
}

// TestAuthorized logs in to a service in a running session, and uses it while its tokens come and go.
func TestAuthorized(t *testing.T) {
	t.Parallel()
	g := newGuardedService(t)
	store := mcpauth.Store{Dir: filepath.Join(t.TempDir(), "logins")}
	address := g.URL + "/mcp"
	var said notices
	set := opened(t, Options{Notify: said.add}, Server{Name: "web", URL: address, Tokens: store.Tokens(address)})
	if got := status(t, set, "web"); got.State != StateNeedsLogin || got.Error != "log in with aura mcp login web" {
		t.Errorf("before: %+v", got)
	}
	contains(t, "notice", said.all(), `connecting to MCP server "web": it needs a login: aura mcp login web`)
	logIn(t, store, address)
	if _, err := set.Load(t.Context(), "web"); err != nil {
		t.Fatal(err)
	}
	echo := func() (string, error) {
		return run(t.Context(), t, set, "mcp__web__echo", map[string]any{"text": "hi"})
	}
	if got, err := echo(); got != "hi" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	g.set(func() { g.issued += 5 }) // the token that aura has is refused now
	if got, err := echo(); got != "hi" || err != nil {
		t.Errorf("after the end of the token: %q, %v", got, err)
	}
	g.set(func() { g.moved = true })
	if _, err := echo(); err == nil {
		t.Error("the redirect was a success")
	}
	g.set(func() {
		g.moved = false
		if len(g.elsewhere) == 0 {
			t.Error("nothing came to the other address: the test shows nothing")
		}
		for _, token := range g.elsewhere {
			if token != "" {
				t.Errorf("another address got %q", token)
			}
		}
		g.revoked = true
	})
	if _, err := echo(); err == nil || !strings.Contains(err.Error(), "it needs a login") || strings.Contains(err.Error(), "token-") {
		t.Errorf("after the end of the login: %v", err)
	}
}

// logIn logs in as a user with a browser.
func logIn(t *testing.T, store mcpauth.Store, address string) {
	t.Helper()
	var visiting sync.WaitGroup
	err := store.Login(t.Context(), address, mcpauth.Settings{ClientID: "aura"}, mcpauth.User{Visit: func(page string) {
		visiting.Go(func() {
			if resp, err := http.Get(page); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}})
	visiting.Wait()
	if err != nil {
		t.Fatal(err)
	}
}

// TestFurtherScopes shows which scopes a service wants beside those of the login. Nothing is repeated by itself, and a login that has them ends it.
func TestFurtherScopes(t *testing.T) {
	t.Parallel()
	g := newGuardedService(t)
	store := mcpauth.Store{Dir: filepath.Join(t.TempDir(), "logins")}
	address := g.URL + "/mcp"
	logIn(t, store, address)
	set := opened(t, Options{}, Server{Name: "web", URL: address, Tokens: store.Tokens(address)})
	echo := func() (string, error) {
		return run(t.Context(), t, set, "mcp__web__echo", map[string]any{"text": "hi"})
	}
	g.set(func() { g.scope = "files:write files:read" })
	if _, err := echo(); err == nil || !strings.Contains(err.Error(), "it needs a login with the scopes files:write files:read: aura mcp login web") {
		t.Errorf("got %v", err)
	}
	want := "log in with aura mcp login web, which asks for the scopes files:write files:read"
	if got := status(t, set, "web"); got.State != StateNeedsLogin || got.Error != want || len(got.Tools) == 0 {
		t.Errorf("got %+v", got)
	}
	if got := set.Connected(); len(got) != 1 {
		t.Errorf("the connection with the narrow login was lost: %v", got)
	}
	g.set(func() {
		if g.calls != 1 {
			t.Errorf("%d calls came", g.calls)
		}
	})
	// The login has the scopes now, and the service still refuses: the user is not sent to log in again.
	logIn(t, store, address)
	if _, err := echo(); err == nil || strings.Contains(err.Error(), "login") {
		t.Errorf("got %v", err)
	}
	g.set(func() { g.scope = "" })
	if got, err := echo(); got != "hi" || err != nil || status(t, set, "web").State != StateConnected {
		t.Errorf("got %q, %v, %+v", got, err, status(t, set, "web"))
	}
}

// TestOwnAuthorization does not use a login for a server with an authorization header of its own.
func TestOwnAuthorization(t *testing.T) {
	t.Parallel()
	w := newWeb(Server{URL: "https://a.invalid", Headers: map[string]string{"authorization": "x"}, Tokens: mcpauth.Store{}.Tokens("https://a.invalid")}, hurried())
	if w.tokens != nil {
		t.Error("the login is used")
	}
}
