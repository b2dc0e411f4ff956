// Package authtest is the strict counterpart of mcpauth in tests: an authorization server on the loopback address, which does what a test says wrong.
package authtest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// Authority is a strict authorization server together with the service that it protects. A refresh token is valid once: who uses it again loses all
// tokens.
type Authority struct {
	*httptest.Server
	// Reached is closed by the request that gets no answer.
	Reached chan struct{}

	t     *testing.T
	wrong string
	inner http.Handler

	mu      sync.Mutex
	clients map[string]string // redirect URIs by client id
	codes   map[string]url.Values
	// refreshes holds the refresh tokens that are valid, access the access tokens.
	refreshes, access map[string]bool
	used              map[string]bool
	counts            Counts
	lifetime          int
	// scope is what the last login asked for.
	scope string
	// hold, if not nil, delays the answers of the token endpoint until it is closed.
	hold chan struct{}
}

// Counts is what happened so far.
type Counts struct {
	// Refreshed is how often tokens were refreshed, and Reused how often with a token that had been used before.
	Refreshed, Reused int
	// Refused is how many requests the service refused.
	Refused int
}

// New returns an Authority in front of a service, which may be nil. wrong names what it does wrong; empty for nothing.
func New(t *testing.T, wrong string, service http.Handler) *Authority {
	t.Helper()
	a := &Authority{t: t, wrong: wrong, inner: service, used: map[string]bool{}, clients: map[string]string{"known": ""}, codes: map[string]url.Values{}, refreshes: map[string]bool{}, access: map[string]bool{}, lifetime: 3600, Reached: make(chan struct{})}
	mux := http.NewServeMux()
	slow := func(name string, do http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if wrong == name+" is slow" {
				_, _ = io.Copy(io.Discard, r.Body)
				close(a.Reached)
				<-r.Context().Done()
				return
			}
			do(w, r)
		}
	}
	mux.HandleFunc("/mcp", slow("service", a.service))
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", a.resource)
	mux.HandleFunc("/.well-known/oauth-authorization-server/as", slow("metadata", a.metadata))
	mux.HandleFunc("POST /register", a.register)
	mux.HandleFunc("GET /authorize", a.authorize)
	mux.HandleFunc("POST /token", slow("token", a.token))
	a.Server = httptest.NewServer(mux)
	t.Cleanup(a.Close)
	return a
}

func (a *Authority) issuer() string { return a.URL + "/as" }

// MCP is the address of the service.
func (a *Authority) MCP() string { return a.URL + "/mcp" }

func reply(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

func refuse(w http.ResponseWriter, code string) {
	reply(w, http.StatusBadRequest, map[string]string{"error": code, "error_description": "no\x1b[2J"})
}

func (a *Authority) service(w http.ResponseWriter, r *http.Request) {
	if a.wrong == "no login wanted" {
		reply(w, http.StatusOK, map[string]any{})
		return
	}
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if a.inner != nil && a.Valid(token) {
		a.inner.ServeHTTP(w, r)
		return
	}
	a.mu.Lock()
	a.counts.Refused++
	a.mu.Unlock()
	w.Header().Set("WWW-Authenticate", `Bearer scope="read write"`)
	w.WriteHeader(http.StatusUnauthorized)
}

func (a *Authority) resource(w http.ResponseWriter, r *http.Request) {
	meta := map[string]any{"resource": a.MCP(), "authorization_servers": []string{a.issuer()}}
	switch a.wrong {
	case "wrong resource":
		meta["resource"] = a.URL + "/other"
	case "no authorization server":
		delete(meta, "authorization_servers")
	case "plain http":
		meta["authorization_servers"] = []string{"http://login.invalid"}
	case "metadata redirects":
		http.Redirect(w, r, "http://127.0.0.1:1/x", http.StatusFound)
		return
	}
	reply(w, http.StatusOK, meta)
}

func (a *Authority) metadata(w http.ResponseWriter, _ *http.Request) {
	meta := map[string]any{
		"issuer": a.issuer(), "authorization_endpoint": a.URL + "/authorize", "token_endpoint": a.URL + "/token", "registration_endpoint": a.URL + "/register",
		"code_challenge_methods_supported": []string{"S256"}, "response_types_supported": []string{"code"}, "authorization_response_iss_parameter_supported": true,
		"client_id_metadata_document_supported": true,
	}
	switch a.wrong {
	case "promises no iss", "mix-up":
		delete(meta, "authorization_response_iss_parameter_supported")
	case "wrong issuer":
		meta["issuer"] = "http://127.0.0.1/honest"
	case "no S256":
		meta["code_challenge_methods_supported"] = []string{"plain"}
	case "no registration":
		delete(meta, "registration_endpoint")
	case "token endpoint elsewhere":
		meta["token_endpoint"] = "http://tokens.invalid/token"
	}
	reply(w, http.StatusOK, meta)
}

func (a *Authority) register(w http.ResponseWriter, r *http.Request) {
	var of struct {
		URIs []string `json:"redirect_uris"`
		Type string   `json:"application_type"`
	}
	if a.wrong == "registration refused" || json.NewDecoder(r.Body).Decode(&of) != nil || len(of.URIs) != 1 || of.Type != "native" {
		refuse(w, "invalid_redirect_uri")
		return
	}
	id := rand.Text()
	a.mu.Lock()
	a.clients[id] = of.URIs[0]
	a.mu.Unlock()
	reply(w, http.StatusCreated, map[string]any{"client_id": id, "redirect_uris": of.URIs, "token_endpoint_auth_method": "none"})
}

// authorize agrees at once.
func (a *Authority) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	a.mu.Lock()
	redirect, ok := a.clients[q.Get("client_id")]
	a.scope = q.Get("scope")
	a.mu.Unlock()
	ok = ok || q.Get("client_id") == "https://aura.invalid/client.json"
	if !ok || redirect != "" && redirect != q.Get("redirect_uri") || q.Get("code_challenge_method") != "S256" || q.Get("resource") != a.MCP() ||
		q.Get("scope") != "read write" && a.wrong != "any scope" || q.Get("response_type") != "code" {
		a.t.Errorf("bad request of a login: %v", q)
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	out := url.Values{"state": {q.Get("state")}, "iss": {a.issuer()}, "code": {rand.Text()}}
	a.mu.Lock()
	a.codes[out.Get("code")] = q
	a.mu.Unlock()
	switch a.wrong {
	case "mixed-up state":
		out.Set("state", "other")
	case "other iss":
		out.Set("iss", "https://evil.invalid")
	case "mix-up":
		out.Set("iss", "https://honest.invalid")
	case "no iss", "promises no iss":
		out.Del("iss")
	case "user refuses":
		out.Del("code")
		out.Set("error", "access_denied")
	case "no code":
		out.Del("code")
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+out.Encode(), http.StatusFound)
}

func (a *Authority) token(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	a.mu.Lock()
	hold := a.hold
	a.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-r.Context().Done():
			return
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.wrong == "refresh fails" && r.Form.Get("grant_type") == "refresh_token" {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if fault := a.grant(r); fault != "" {
		refuse(w, fault)
		return
	}
	out := map[string]any{"access_token": rand.Text(), "token_type": "Bearer", "expires_in": a.lifetime, "refresh_token": rand.Text()}
	switch a.wrong {
	case "no refresh token":
		delete(out, "refresh_token")
	case "no token":
		delete(out, "access_token")
	case "other type":
		out["token_type"] = "mac"
	case "broken token":
		out["access_token"] = "a\r\nX: y"
	case "token redirects":
		http.Redirect(w, r, "http://127.0.0.1:1/x", http.StatusTemporaryRedirect)
		return
	case "not JSON":
		_, _ = io.WriteString(w, "<html>")
		return
	}
	if token, ok := out["refresh_token"].(string); ok {
		a.refreshes[token] = true
	}
	if token, ok := out["access_token"].(string); ok {
		a.access[token] = true
	}
	reply(w, http.StatusOK, out)
}

// grant takes what a request for tokens offers. It returns why it is refused.
func (a *Authority) grant(r *http.Request) (fault string) {
	if r.Form.Get("resource") != a.MCP() {
		return "invalid_target"
	}
	switch r.Form.Get("grant_type") {
	case "authorization_code":
		q, ok := a.codes[r.Form.Get("code")]
		delete(a.codes, r.Form.Get("code"))
		sum := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
		id, secret, basic := r.BasicAuth()
		if !basic {
			id = r.Form.Get("client_id")
		}
		if !ok || id != q.Get("client_id") || id == "known" && secret != "s3cret" || r.Form.Get("redirect_uri") != q.Get("redirect_uri") ||
			base64.RawURLEncoding.EncodeToString(sum[:]) != q.Get("code_challenge") {
			return "invalid_grant"
		}
	case "refresh_token":
		token := r.Form.Get("refresh_token")
		if a.used[token] {
			a.counts.Reused++
			clear(a.refreshes)
			clear(a.access)
		}
		if !a.refreshes[token] {
			return "invalid_grant"
		}
		delete(a.refreshes, token)
		a.used[token] = true
		a.counts.Refreshed++
	default:
		return "unsupported_grant_type"
	}
	return ""
}

// Valid reports whether an access token is valid.
func (a *Authority) Valid(token string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.access[token]
}

// Hold delays the answers of the token endpoint until a channel is closed.
func (a *Authority) Hold(until chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hold = until
}

// Expire ends all access tokens.
func (a *Authority) Expire() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.access)
}

// Revoke ends all tokens.
func (a *Authority) Revoke() {
	a.Expire()
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.refreshes)
}

// Counts returns what happened so far.
func (a *Authority) Counts() Counts {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.counts
}

// Scope returns what the last login asked for.
func (a *Authority) Scope() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.scope
}
