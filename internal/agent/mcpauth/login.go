package mcpauth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/idelchi/aura/internal/base/plaintext"
)

// Settings is what the user configured about the login to a server. The zero value leaves everything to discovery.
type Settings struct {
	// ClientID and ClientSecret are those of a client that is registered already.
	ClientID, ClientSecret string
	// ClientMetadata is the address of a client id metadata document, which becomes the client id where that is supported.
	ClientMetadata string
	// Scopes replaces the scopes that the server asks for.
	Scopes []string
	// RedirectPort is the port of the redirect; 0 means any.
	RedirectPort int
}

// User is who logs in.
type User struct {
	// Visit shows the address that the user must open in a browser.
	Visit func(address string)
	// Paste, if not nil, asks for the address to which the browser was sent, because it may run on another machine. check returns why a text is not that
	// address. If ok is false, nothing is pasted, and the login waits for the browser only. ctx ends with the login.
	Paste func(ctx context.Context, check func(text string) error) (text string, ok bool, err error)
}

// callbackPath is the path of the redirect.
const callbackPath = "/callback"

// attempt is one login in progress. All that comes back is compared with it.
type attempt struct {
	state, verifier, issuer string
	issRequired             bool
}

// Login logs in to the server at an address, and keeps the tokens. Nothing is kept if it fails or if ctx ends.
func (s Store) Login(ctx context.Context, address string, o Settings, user User) error {
	if s.Dir == "" {
		return ErrNoPlace
	}
	if err := checkAddress("url", address); err != nil {
		return err
	}
	c := newClient(patience)
	at, err := discover(ctx, c, address)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:"+strconv.Itoa(o.RedirectPort))
	if err != nil {
		return fmt.Errorf("waiting for the browser: %w", err)
	}
	defer listener.Close()
	redirect := "http://" + listener.Addr().String() + callbackPath
	l := &login{URL: address, Resource: at.resource, Issuer: at.server.Issuer, TokenEndpoint: at.server.TokenEndpoint}
	if l.Scopes, err = s.scopes(address, at.scopes, o); err != nil {
		return err
	}
	if slices.Contains(at.server.ScopesSupported, offline) && !slices.Contains(l.Scopes, offline) {
		l.Scopes = append(slices.Clip(l.Scopes), offline)
	}
	if l.Client, err = register(ctx, c, at.server, o, redirect); err != nil {
		return err
	}
	try := attempt{rand.Text(), rand.Text() + rand.Text(), at.server.Issuer, at.server.AuthorizationResponseIssParameterSupported}
	page, err := try.page(at.server.AuthorizationEndpoint, l, redirect)
	if err != nil {
		return err
	}
	user.Visit(page)
	code, err := try.wait(ctx, listener, redirect, user)
	if err != nil {
		return err
	}
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirect}, "code_verifier": {try.verifier}}
	if err := l.request(ctx, c, form); err != nil {
		return fmt.Errorf("getting a token from %s: %w", l.Issuer, err)
	}
	return s.locked(ctx, address, func() error { return s.write(l) })
}

// offline is the scope by which some servers issue tokens that can be refreshed.
const offline = "offline_access"

// register returns how aura is known to an authorization server.
func register(ctx context.Context, c *http.Client, at *oauthex.AuthServerMeta, o Settings, redirect string) (client, error) {
	methods := at.TokenEndpointAuthMethodsSupported
	method := ""
	if slices.Contains(methods, methodPost) && !slices.Contains(methods, "client_secret_basic") {
		method = methodPost
	}
	switch {
	case o.ClientID != "":
		return client{o.ClientID, o.ClientSecret, method}, nil
	case o.ClientMetadata != "" && at.ClientIDMetadataDocumentSupported:
		return client{ID: o.ClientMetadata}, nil
	case at.RegistrationEndpoint == "":
		return client{}, fmt.Errorf("authorization server %s registers no clients by itself: register one there, and set auth.client_id", at.Issuer)
	}
	got, err := oauthex.RegisterClient(ctx, at.RegistrationEndpoint, &oauthex.ClientRegistrationMetadata{
		RedirectURIs: []string{redirect}, TokenEndpointAuthMethod: "none", GrantTypes: []string{"authorization_code", "refresh_token"},
		ResponseTypes: []string{"code"}, ClientName: "aura", ApplicationType: "native",
	}, c)
	if err != nil {
		return client{}, fmt.Errorf("registering at authorization server %s: %s; register a client there, and set auth.client_id", at.Issuer, plaintext.Line(err.Error()))
	}
	return client{got.ClientID, got.ClientSecret, got.TokenEndpointAuthMethod}, nil
}

// page returns the address at which the user agrees.
func (a attempt) page(endpoint string, l *login, redirect string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(a.verifier))
	q := u.Query()
	for name, value := range map[string]string{
		"response_type": "code", "client_id": l.Client.ID, "redirect_uri": redirect, "state": a.state, "resource": l.Resource,
		"code_challenge": base64.RawURLEncoding.EncodeToString(sum[:]), "code_challenge_method": "S256", "scope": strings.Join(l.Scopes, " "),
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// errNotOurs is the error of an answer that belongs to another login. It ends nothing: anybody can send one.
var errNotOurs = errors.New("this is not the answer to this login")

// code returns the code of an answer.
func (a attempt) code(q url.Values) (string, error) {
	if q.Get("state") != a.state {
		return "", errNotOurs
	}
	if iss := q.Get("iss"); q.Has("iss") && iss != a.issuer || !q.Has("iss") && a.issRequired {
		return "", fmt.Errorf("the answer comes from issuer %q, and the login was at %q", plaintext.Line(iss), a.issuer)
	}
	if failed := q.Get("error"); failed != "" {
		return "", fmt.Errorf("%s refuses the login: %s", a.issuer, strings.TrimSuffix(plaintext.Line(failed)+": "+plaintext.Line(q.Get("error_description")), ": "))
	}
	if q.Get("code") == "" {
		return "", errors.New("the answer has no code")
	}
	return q.Get("code"), nil
}

// outcome is the end of a login: a code, or an error.
type outcome struct {
	code string
	err  error
}

// wait returns the code that the browser brings, or that the user pastes.
func (a attempt) wait(ctx context.Context, listener net.Listener, redirect string, user User) (string, error) {
	done := make(chan outcome, 1)
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		if r.Method != http.MethodGet || r.URL.Path != callbackPath || r.Host != listener.Addr().String() {
			http.NotFound(w, r)
			return
		}
		code, err := a.code(r.URL.Query())
		if errors.Is(err, errNotOurs) {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		text := "aura is logged in. You can close this page.\n"
		if err != nil {
			text = "The login failed. aura says why.\n"
		}
		_, _ = io.WriteString(w, text)
		select {
		case done <- outcome{code, err}:
		default:
		}
	})}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener) // it ends with Close
	}()
	defer func() {
		// The browser gets its page before the server ends.
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if server.Shutdown(end) != nil {
			_ = server.Close()
		}
		<-served
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if user.Paste != nil {
		// Reading from a terminal may not end with ctx, so nobody waits for it.
		go a.read(ctx, redirect, user, done)
	}
	select {
	case o := <-done:
		return o.code, o.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// read sends the outcome of what the user pastes.
func (a attempt) read(ctx context.Context, redirect string, user User, done chan<- outcome) {
	text, ok, err := user.Paste(ctx, func(text string) error {
		if _, err := a.pasted(text, redirect); errors.Is(err, errNotOurs) {
			return err
		}
		return nil
	})
	if !ok && err == nil {
		return
	}
	o := outcome{err: err}
	if err == nil {
		o.code, o.err = a.pasted(text, redirect)
	}
	select {
	case done <- o:
	default:
	}
}

// pasted returns the code in the address that the user pasted. The part of the address from the question mark on is enough. A code alone is not, even if
// the server does not promise to name itself in the answer: that promise is of the server that aura asked, which in a mix-up is the attacker's. The honest server
// that issued the code names itself, and only the address shows it.
func (a attempt) pasted(text, redirect string) (string, error) {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "#")
	address, query, found := strings.Cut(text, "?")
	q, err := url.ParseQuery(query)
	if !found || err != nil || address != "" && address != redirect {
		return "", fmt.Errorf("%w: a code alone does not show which server issued it; paste the whole address of the page to which the browser was sent, which begins with %s",
			errNotOurs, redirect)
	}
	return a.code(q)
}
