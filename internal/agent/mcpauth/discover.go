package mcpauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/idelchi/aura/internal/base/plaintext"
)

// found is what discovery says about a server.
type found struct {
	resource string
	scopes   []string
	server   *oauthex.AuthServerMeta
}

// probeBody is a request without a token, which a server that wants a login refuses.
const probeBody = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"aura","version":"1"}}}`

// discover finds the authorization server of an MCP server.
func discover(ctx context.Context, c *http.Client, address string) (found, error) {
	var out found
	metadata, scope, err := challenge(ctx, c, address)
	if err != nil {
		return out, err
	}
	meta, err := resourceMetadata(ctx, c, address, metadata)
	if err != nil {
		return out, err
	}
	if len(meta.AuthorizationServers) == 0 {
		return out, errors.New("its metadata names no authorization server")
	}
	out.resource = meta.Resource
	out.scopes = meta.ScopesSupported
	if scope != "" {
		out.scopes = strings.Fields(scope)
	}
	out.server, err = serverMetadata(ctx, c, meta.AuthorizationServers[0])
	return out, err
}

// challenge returns where the metadata of a server is, and the scopes that it asks for. Both may be empty.
func challenge(ctx context.Context, c *http.Client, address string) (metadata, scope string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(probeBody))
	if err != nil {
		return "", "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := c.Do(req)
	if err != nil {
		return "", "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		return "", "", fmt.Errorf("it wants no login: without one it answers %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	// A header that cannot be read leaves the places where metadata usually is.
	challenges, _ := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	for _, ch := range challenges {
		if ch.Scheme == "bearer" {
			return ch.Params["resource_metadata"], ch.Params["scope"], nil
		}
	}
	return "", "", nil
}

// resourceMetadata returns the metadata of a server, from where its challenge says, or else from the well-known places.
func resourceMetadata(ctx context.Context, c *http.Client, address, at string) (oauthex.ProtectedResourceMetadata, error) {
	var none oauthex.ProtectedResourceMetadata
	u, err := url.Parse(address)
	if err != nil {
		return none, err
	}
	origin := u.Scheme + "://" + u.Host
	const wellKnown = "/.well-known/oauth-protected-resource"
	places := []string{origin + wellKnown + strings.TrimSuffix(u.EscapedPath(), "/"), origin + wellKnown}
	if at != "" {
		places = []string{at}
	}
	for _, place := range slices.Compact(places) {
		if err := checkAddress("metadata", place); err != nil {
			return none, err
		}
		var meta oauthex.ProtectedResourceMetadata
		err := get(ctx, c, place, &meta)
		if failed, ok := errors.AsType[*statusError](err); ok && failed.status < 500 && at == "" {
			continue
		}
		if err != nil {
			return none, fmt.Errorf("reading its metadata at %s: %w", place, err)
		}
		if !covers(meta.Resource, address) {
			return none, fmt.Errorf("its metadata at %s is for another resource, %q", place, meta.Resource)
		}
		return meta, nil
	}
	return none, errors.New("it has no metadata that names an authorization server")
}

// covers reports whether a resource is the address of a server, or an address above it on the same host.
func covers(resource, address string) bool {
	r, err1 := url.Parse(resource)
	a, err2 := url.Parse(address)
	if err1 != nil || err2 != nil || !strings.EqualFold(r.Scheme, a.Scheme) || !strings.EqualFold(r.Host, a.Host) || r.User != nil || r.Fragment != "" {
		return false
	}
	if r.RawQuery != "" {
		return resource == address
	}
	above := strings.TrimSuffix(r.EscapedPath(), "/")
	return strings.TrimSuffix(a.EscapedPath(), "/") == above || strings.HasPrefix(a.EscapedPath(), above+"/")
}

// serverMetadata returns the metadata of an authorization server, which must name the same issuer.
func serverMetadata(ctx context.Context, c *http.Client, issuer string) (*oauthex.AuthServerMeta, error) {
	if err := checkAddress("authorization server", issuer); err != nil {
		return nil, err
	}
	u, err := url.Parse(issuer)
	if err != nil {
		return nil, err
	}
	origin, path := u.Scheme+"://"+u.Host, strings.TrimSuffix(u.EscapedPath(), "/")
	places := []string{origin + "/.well-known/oauth-authorization-server" + path, origin + "/.well-known/openid-configuration" + path}
	if path != "" {
		places = append(places, origin+path+"/.well-known/openid-configuration")
	}
	for _, place := range places {
		meta, err := oauthex.GetAuthServerMeta(ctx, place, issuer, c)
		switch {
		case err != nil:
			return nil, fmt.Errorf("reading the metadata of authorization server %s: %s", issuer, plaintext.Line(err.Error()))
		case meta == nil:
			continue
		case meta.Issuer != issuer:
			return nil, fmt.Errorf("authorization server %s: its metadata is that of another issuer, %q", issuer, meta.Issuer)
		case !slices.Contains(meta.CodeChallengeMethodsSupported, "S256"):
			return nil, fmt.Errorf("authorization server %s: it does not support PKCE with S256", issuer)
		}
		for what, address := range map[string]string{"authorization endpoint": meta.AuthorizationEndpoint, "token endpoint": meta.TokenEndpoint} {
			if err := checkAddress(what, address); err != nil {
				return nil, fmt.Errorf("authorization server %s: %w", issuer, err)
			}
		}
		return meta, nil
	}
	return nil, fmt.Errorf("authorization server %s has no metadata", issuer)
}
