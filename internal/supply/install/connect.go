package install

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
)

// The timeouts for the first answer of a server.
const (
	dialTimeout   = 20 * time.Second
	answerTimeout = 60 * time.Second
)

// maxHeader is the maximum size of the header of an answer, in bytes.
const maxHeader = 1 << 20

// connect opens a session with the server of a source and asks for its branches and tags.
func connect(ctx context.Context, s source, o Options, p *peer) (transport.UploadPackSession, *packp.AdvRefs, error) {
	if s.kind == kindSSH {
		return connectSSH(ctx, s, o, p)
	}
	return connectHTTP(ctx, s, o, p)
}

// endpoint returns the source as a go-git endpoint.
func (s source) endpoint() *transport.Endpoint {
	host := s.host
	if strings.Contains(host, ":") && s.kind == kindHTTP {
		host = "[" + host + "]"
	}
	return &transport.Endpoint{Protocol: s.protocol, User: s.user, Host: host, Port: s.port, Path: s.path}
}

// connectHTTP tries the ways to authenticate in order: none, then the tokens, then git's credential helpers.
func connectHTTP(ctx context.Context, s source, o Options, p *peer) (transport.UploadPackSession, *packp.AdvRefs, error) {
	client := githttp.NewClient(httpClient(p))
	var denied error
	var tried []string
	for c := range o.credentials(ctx, s) {
		tried = append(tried, c.name)
		ep := s.endpoint()
		ep.User = ""
		session, err := client.NewUploadPackSession(ep, c.auth())
		if err != nil {
			return nil, nil, err
		}
		adv, err := session.AdvertisedReferencesContext(ctx)
		if err == nil {
			return session, adv, nil
		}
		if !isDenied(err) {
			return nil, nil, explainHTTP(err, c.secret)
		}
		denied = err
	}
	return nil, nil, deniedError(s, denied, tried, o)
}

// httpClient returns a client that follows redirects within one host only, so that aura trusts only the host that the user
// named.
func httpClient(p *peer) *http.Client {
	t := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout:   dialTimeout,
		ResponseHeaderTimeout: answerTimeout,
		ForceAttemptHTTP2:     true,
		// Further lines of the header are refused.
		MaxResponseHeaderBytes: maxHeader,
	}
	return limitedClient(p, t)
}

// limitedClient returns a client whose answers are limited, and that follows redirects within one host only.
func limitedClient(p *peer, t http.RoundTripper) *http.Client {
	return &http.Client{Transport: p.roundTripper(t), CheckRedirect: func(req *http.Request, via []*http.Request) error {
		first := via[0].URL
		if req.URL.Hostname() != first.Hostname() || first.Scheme == "https" && req.URL.Scheme != "https" {
			return fmt.Errorf("the server redirects to %s://%s; add that address if you trust it", req.URL.Scheme, req.URL.Host)
		}
		if len(via) > 5 {
			return errors.New("the server redirects without end")
		}
		return nil
	}}
}

func isDenied(err error) bool {
	return errors.Is(err, transport.ErrAuthenticationRequired) || errors.Is(err, transport.ErrAuthorizationFailed) ||
		errors.Is(err, transport.ErrRepositoryNotFound)
}

// explainHTTP adds advice to errors that are not about access. It removes the secret from the message, because a server may
// repeat it.
func explainHTTP(err error, secret string) error {
	if errors.Is(err, transport.ErrEmptyRemoteRepository) {
		return errEmpty
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return fmt.Errorf("the host cannot be reached: %w", op.Err)
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return fmt.Errorf("the host %s is not known: %s", dns.Name, dns.Err)
	}
	if secret != "" && strings.Contains(err.Error(), secret) {
		return errors.New(strings.ReplaceAll(err.Error(), secret, "***"))
	}
	return err
}

// deniedError returns an error that names the credentials that were tried and what the user can do.
func deniedError(s source, err error, tried []string, o Options) error {
	what := "access is denied"
	if errors.Is(err, transport.ErrRepositoryNotFound) {
		what = "there is no such repository, or it is private"
	}
	parts := []string{what, "tried " + strings.Join(tried, ", ")}
	for _, t := range tokens {
		if o.variable(t.name) != "" && !t.belongs(s, o) {
			parts = append(parts, fmt.Sprintf("%s is not for %s and was not sent", t.name, s.host))
		}
	}
	parts = append(parts, "set GIT_TOKEN to a token that may read it, or store one in git's credential helper")
	return errors.New(strings.Join(parts, "; "))
}
