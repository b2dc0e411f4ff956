package mcpauth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ErrNeedsLogin means that there is no token, and that none can be had without the user.
var ErrNeedsLogin = errors.New("it needs a login")

// margin is how long before its end a token is refreshed.
const margin = 30 * time.Second

// Tokens gives the token of one server to requests. Its methods are safe for concurrent use, also with other processes.
type Tokens struct {
	store   Store
	url     string
	timeout time.Duration
	renewed func()
}

// Tokens returns the tokens for an address.
func (s Store) Tokens(url string) *Tokens { return &Tokens{store: s, url: url, timeout: patience} }

// OnRenewal sets a function that is called after a token was refreshed. It must be set before the tokens are used.
func (t *Tokens) OnRenewal(renewed func()) { t.renewed = renewed }

// URL is the only address to which the token may be sent.
func (t *Tokens) URL() string { return t.url }

// Token returns a token that is not refused, which may be empty; it is refreshed if it ends soon. The error is ErrNeedsLogin if that is not
// possible without the user. Without a login, Token returns "".
func (t *Tokens) Token(ctx context.Context, refused string) (string, error) {
	l, err := t.store.read(t.url)
	if err != nil {
		return "", err
	}
	if l == nil {
		if refused != "" {
			return "", ErrNeedsLogin
		}
		return "", nil
	}
	if l.usable(refused) {
		return l.Access, nil
	}
	var access string
	err = t.store.locked(ctx, t.url, func() error {
		// Another aura may have refreshed it meanwhile.
		now, err := t.store.read(t.url)
		if err != nil {
			return err
		}
		if now == nil {
			return ErrNeedsLogin
		}
		if !now.usable(refused) {
			if err := t.refresh(ctx, now); err != nil {
				return err
			}
		}
		access = now.Access
		return nil
	})
	if err == nil && t.renewed != nil {
		t.renewed()
	}
	return access, err
}

func (l *login) usable(refused string) bool {
	return l.Access != "" && l.Access != refused && (l.Expires.IsZero() || time.Until(l.Expires) > margin)
}

// refresh replaces the token of a login, and saves it. A login that the authorization server no longer accepts loses its tokens.
func (t *Tokens) refresh(ctx context.Context, l *login) error {
	if l.Refresh == "" {
		return ErrNeedsLogin
	}
	err := l.request(ctx, newClient(t.timeout), url.Values{"grant_type": {"refresh_token"}, "refresh_token": {l.Refresh}})
	if failed, ok := errors.AsType[*statusError](err); ok && failed.status >= 400 && failed.status < 500 && failed.status != http.StatusTooManyRequests {
		l.Access, l.Refresh, l.Expires = "", "", time.Time{}
		return errors.Join(ErrNeedsLogin, t.store.write(l))
	}
	if err != nil {
		return fmt.Errorf("refreshing the login at %s: %w", l.Issuer, err)
	}
	return t.store.write(l)
}

// answer is the answer of a token endpoint.
type answer struct {
	Access  string  `json:"access_token"`
	Type    string  `json:"token_type"`
	Expires float64 `json:"expires_in"`
	Refresh string  `json:"refresh_token"`
	Scope   string  `json:"scope"`
}

// request asks the token endpoint of a login for tokens, and puts them into the login.
func (l *login) request(ctx context.Context, c *http.Client, form url.Values) error {
	form.Set("resource", l.Resource)
	if l.Client.Secret == "" || l.Client.Method == methodPost {
		form.Set("client_id", l.Client.ID)
	}
	if l.Client.Secret != "" && l.Client.Method == methodPost {
		form.Set("client_secret", l.Client.Secret)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.TokenEndpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if l.Client.Secret != "" && l.Client.Method != methodPost {
		req.SetBasicAuth(url.QueryEscape(l.Client.ID), url.QueryEscape(l.Client.Secret))
	}
	var a answer
	if err := do(c, req, &a); err != nil {
		return err
	}
	switch {
	case a.Access == "":
		return errors.New("its answer has no token")
	case !strings.EqualFold(a.Type, "bearer"):
		return errors.New("its token is not a bearer token")
	case strings.ContainsFunc(a.Access, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return errors.New("its token has characters that no token has")
	}
	l.Access, l.Refresh, l.Expires = a.Access, cmp.Or(a.Refresh, l.Refresh), time.Time{}
	if a.Expires > 0 {
		l.Expires = time.Now().Add(time.Duration(min(a.Expires, 10*365*24*3600) * float64(time.Second)))
	}
	if a.Scope != "" {
		l.Scopes = strings.Fields(a.Scope)
	}
	return nil
}

const methodPost = "client_secret_post"
