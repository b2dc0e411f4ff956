package classify_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/llm/classify"
	"github.com/idelchi/aura/sdk"
)

func TestNetwork(t *testing.T) {
	t.Parallel()
	const secret = "https://user:hidden@h/v1?key=hidden"
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"refused":    {&net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}, "reaching h:1: dial tcp: connection refused"},
		"no address": {&net.DNSError{Err: "no such host", Name: "h"}, "reaching h:1: lookup h: no such host"},
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
	if got, want := classify.Stalled("h", 30*time.Second).Message, "reaching h: no data for 30s"; got != want {
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
