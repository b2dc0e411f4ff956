package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
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
	if err != nil || resp.StatusCode != http.StatusUnauthorized || token == "" && challenge(resp) == nil {
		return w.permitted(req, resp, err)
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
	return w.permitted(req, resp, err)
}

// permitted returns an answer, or an error if the service wants scopes that the login lacks. The request is not repeated: only the user can log in.
func (w *web) permitted(req *http.Request, resp *http.Response, err error) (*http.Response, error) {
	if err != nil || resp.StatusCode != http.StatusForbidden {
		return resp, err
	}
	if params := challenge(resp); params["error"] == "insufficient_scope" {
		if err := w.tokens.Lacks(req.Context(), strings.Fields(params["scope"])); err != nil {
			_ = resp.Body.Close()
			return nil, w.loginError(err)
		}
	}
	return resp, nil
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
		return fmt.Errorf("%w: aura mcp login %s", err, w.name)
	}
	return err
}

// challenge returns the parameters with which a service that refuses a request asks for a token of a login; nil if it does not.
func challenge(resp *http.Response) map[string]string {
	challenges, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil {
		return nil
	}
	for _, c := range challenges {
		if c.Scheme == "bearer" {
			out := map[string]string{}
			maps.Copy(out, c.Params)
			return out
		}
	}
	return nil
}

// needsLogin returns why the user has to log in before a request that failed; nil if there is another reason. The client only passes on the text of the error.
func (s *server) needsLogin(err error) error {
	if errors.Is(err, mcpauth.ErrNeedsLogin) || strings.Contains(err.Error(), mcpauth.ErrNeedsLogin.Error()) {
		return cmp.Or(s.logins().Needs(), mcpauth.ErrNeedsLogin)
	}
	return nil
}

// logins returns the tokens of the login; nil if none is used, because the settings have an authorization.
func (s Server) logins() *mcpauth.Tokens {
	for name := range s.Headers {
		if http.CanonicalHeaderKey(name) == authorization {
			return nil
		}
	}
	return s.Tokens
}

// loginHint says how to do what is needed.
func (s Server) loginHint(need error) string {
	out := "log in with aura mcp login " + s.Name
	if lack, ok := errors.AsType[*mcpauth.ScopeError](need); ok {
		out += ", which asks for the scopes " + strings.Join(lack.Scopes, " ")
	}
	return out
}
