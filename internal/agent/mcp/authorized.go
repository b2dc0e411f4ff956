package mcp

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/idelchi/aura/internal/agent/mcpauth"
)

const authorization = "Authorization"

// authorized makes a request with the token of the login. If the service refuses the token, authorized refreshes it and repeats the request
// once. The token is sent to no other address than the one that it was issued for, whatever a redirect says.
func (w *web) authorized(req *http.Request) (*http.Response, error) {
	if w.tokens == nil || req.URL.String() != w.tokens.URL() {
		return w.base.RoundTrip(req)
	}
	token, err := w.tokens.Token(req.Context(), "")
	if err != nil {
		return nil, w.loginError(err)
	}
	resp, err := w.base.RoundTrip(withToken(req, token))
	if err != nil || resp.StatusCode != http.StatusUnauthorized || token == "" && !wantsLogin(resp) {
		return resp, err
	}
	_ = resp.Body.Close()
	if token == "" {
		return nil, w.loginError(mcpauth.ErrNeedsLogin)
	}
	if token, err = w.tokens.Token(req.Context(), token); err != nil {
		return nil, w.loginError(err)
	}
	again := withToken(req, token)
	if req.Body != nil && req.Body != http.NoBody {
		if req.GetBody == nil {
			return nil, errors.New("the login was refreshed; the request cannot be repeated")
		}
		if again.Body, err = req.GetBody(); err != nil {
			return nil, err
		}
	}
	resp, err = w.base.RoundTrip(again)
	if err == nil && resp.StatusCode == http.StatusUnauthorized {
		_ = resp.Body.Close()
		return nil, w.loginError(mcpauth.ErrNeedsLogin)
	}
	return resp, err
}

func withToken(req *http.Request, token string) *http.Request {
	out := req.Clone(req.Context())
	if token != "" {
		out.Header.Set(authorization, "Bearer "+token)
	}
	return out
}

// loginError adds what the user can do to the error of a token.
func (w *web) loginError(err error) error {
	if errors.Is(err, mcpauth.ErrNeedsLogin) {
		return fmt.Errorf("%w: aura mcp login %s", mcpauth.ErrNeedsLogin, w.name)
	}
	return err
}

// wantsLogin reports whether a service that refuses a request asks for a token of a login.
func wantsLogin(resp *http.Response) bool {
	challenges, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil {
		return false
	}
	for _, c := range challenges {
		if c.Scheme == "bearer" {
			return true
		}
	}
	return false
}

// needsLogin reports whether a request failed for want of a login. The client only passes on the text of the error.
func needsLogin(err error) bool {
	return errors.Is(err, mcpauth.ErrNeedsLogin) || strings.Contains(err.Error(), mcpauth.ErrNeedsLogin.Error()+": ")
}
