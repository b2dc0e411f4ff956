package transport_test

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm/transport"
)

// TestRemedies checks the advice in the errors of failed connections.
func TestRemedies(t *testing.T) {
	t.Parallel()
	nothing := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	plain, secure := httptest.NewServer(nothing), httptest.NewUnstartedServer(nothing)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	asking := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) }))
	for _, server := range []*httptest.Server{plain, secure, asking} {
		t.Cleanup(server.Close)
	}
	through := func(proxy string) *http.Client {
		return &http.Client{Transport: &http.Transport{Proxy: func(*http.Request) (*url.URL, error) { return url.Parse(proxy) }}}
	}
	for name, test := range map[string]struct {
		url    string
		client *http.Client
		want   string
	}{
		"nobody listens":    {"http://127.0.0.1:1", nil, "; no server listens there: start it, or check the url of the provider"},
		"unknown authority": {secure.URL, nil, "the certificate is not accepted: check the url of the provider, or add the authority"},
		"no TLS":            {"https" + strings.TrimPrefix(plain.URL, "http"), nil, "the server speaks http, not https: check the url of the provider"},
		"proxy is gone":     {"https://service.invalid", through("http://127.0.0.1:1"), "the connection goes through a proxy: check HTTP_PROXY, HTTPS_PROXY and NO_PROXY"},
		"proxy refuses":     {"https://service.invalid", through(asking.URL), "the connection goes through a proxy: check HTTP_PROXY, HTTPS_PROXY and NO_PROXY"},
		"plain proxy":       {"http://service.invalid", through(asking.URL), "407 Proxy Authentication Required; check the user and the password of the proxy in HTTP_PROXY and HTTPS_PROXY"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := fetch(t.Context(), test.url, test.client); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want … %s …", err, test.want)
			}
		})
	}
}

// fetch makes a request whose answer is not a stream, and returns its error.
func fetch(ctx context.Context, address string, client *http.Client) error {
	inner, call := transport.Plain(ctx)
	req, err := http.NewRequestWithContext(inner, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := transport.NewClient(transport.Options{Client: client}).Do(req)
	if err != nil {
		return call.Err(ctx, err)
	}
	return response.Body.Close()
}
