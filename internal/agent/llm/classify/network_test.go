package classify_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/llm/classify"
	"github.com/idelchi/aura/sdk"
)

func TestNetwork(t *testing.T) {
	t.Parallel()
	const secret = "https://user:hidden@h/v1?key=hidden"
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"refused":    {&net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}, "reaching h:1: dial tcp: connection refused; no server listens there: start it, or check the url of the provider"},
		"no address": {&net.DNSError{Err: "no such host", Name: "h"}, "reaching h:1: lookup h: no such host; the name is not known: check the url of the provider, and the network"},
		"nobody":     {&net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, "reaching h:1: dial tcp: connect: connection refused; no server listens there: start it, or check the url of the provider"},
		"proxy":      {&net.OpError{Op: "proxyconnect", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, "reaching h:1: proxyconnect tcp: connect: connection refused; the connection goes through a proxy: check HTTP_PROXY, HTTPS_PROXY and NO_PROXY"},
		"proxy user": {errors.New("Proxy Authentication Required"), "reaching h:1: Proxy Authentication Required; the connection goes through a proxy: check HTTP_PROXY, HTTPS_PROXY and NO_PROXY"},
		"signed":     {&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, "reaching h:1: tls: failed to verify certificate: x509: certificate signed by unknown authority; the certificate is not accepted: check the url of the provider, or add the authority that signed it to those of the system (SSL_CERT_FILE)"},
		"no TLS":     {tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, "reaching h:1: tls: first record does not look like a TLS handshake; the server speaks http, not https: check the url of the provider"},
		"plain":      {errors.New("http: server gave HTTP response to HTTPS client"), "reaching h:1: http: server gave HTTP response to HTTPS client; the server speaks http, not https: check the url of the provider"},
		"address":    {&url.Error{Op: "Post", URL: secret, Err: errors.New("refused")}, "reaching h:1: refused"},
		"deep":       {fmt.Errorf("sending %w", &url.Error{Op: "Post", URL: secret, Err: errors.New("refused")}), "reaching h:1: refused"},
		"cut":        {io.ErrUnexpectedEOF, "reaching h:1: the connection was closed before the answer was complete"},
		"end":        {fmt.Errorf("reading: %w", io.EOF), "reaching h:1: the connection was closed before the answer was complete"},
		"deadline":   {context.DeadlineExceeded, "reaching h:1: timed out"},
		"timeout":    {&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, "reaching h:1: timed out"},
	} {
		got := classify.Network("h:1", test.err)
		if got.Type != sdk.ErrorTypeNetwork || got.Message != test.want {
			t.Errorf("%s: got %+v, want %q", name, got, test.want)
		}
		if strings.Contains(got.Error(), "hidden") {
			t.Errorf("%s: shows a secret: %v", name, got)
		}
	}
	if got, want := classify.Stalled("h", 30*time.Second).Message, "reaching h: no data for 30s; raise idle_timeout of the provider if the model needs longer"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestHasError(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		`{"error":{"message":"x"}}`:                 true,
		`{"error":"x"}`:                             true,
		`[{"error":{"message":"x"}}]`:               true,
		`{"type":"error"}`:                          true,
		`{"object":"error","message":"x"}`:          true,
		`{"detail":"x"}`:                            true,
		`{"error":null,"object":"chat.completion"}`: false,
		`{"object":"chat.completion","choices":[]}`: false,
		`{"message":"hello"}`:                       false,
		`[]`:                                        false,
		`"error"`:                                   false,
		`<html>`:                                    false,
		``:                                          false,
	} {
		if got := classify.HasError([]byte(body)); got != want {
			t.Errorf("%s: got %t, want %t", body, got, want)
		}
	}
}
