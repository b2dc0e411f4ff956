package classify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/redact"
	"github.com/idelchi/aura/sdk"
)

// Network classifies a failure to talk to a host (scheme://host), or to hear all that it had to say. The rest of an address is
// left out: it may hold secrets.
func Network(host string, err error) *llm.Error {
	what := "reaching " + host
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	var reason string
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		reason = "the connection was closed before the answer was complete"
	case errors.Is(err, context.DeadlineExceeded), isTimeout(err):
		reason = "timed out"
	default:
		reason = shorten(err.Error()) + remedy(err)
	}
	return &llm.Error{Type: sdk.ErrorTypeNetwork, Message: what + ": " + reason}
}

// Stalled is the error for a host that is connected and silent.
func Stalled(host string, idle time.Duration) *llm.Error {
	return &llm.Error{Type: sdk.ErrorTypeNetwork, Message: fmt.Sprintf("reaching %s: no data for %s; raise idle_timeout of the provider if the model needs longer", host, idle)}
}

// TooMuch is the error for an answer that is larger than a limit. The same call would likely end the same way.
func TooMuch(host, most string) *llm.Error {
	return &llm.Error{Message: fmt.Sprintf("reading the answer of %s: it has more than the limit of %s, so the connection was closed", host, most)}
}

// Cut is the error for a stream that ended in order, yet before its end.
func Cut(host string) *llm.Error { return Network(host, io.ErrUnexpectedEOF) }

func isTimeout(err error) bool {
	failed, ok := errors.AsType[net.Error](err)
	return ok && failed.Timeout()
}

// retryAfter reads how long a service wants to be left alone. A date that has passed counts as no time at all.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	if after, ok := amount(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return after, true
	}
	value := h.Get("Retry-After")
	if date, err := http.ParseTime(value); err == nil {
		return max(0, date.Sub(now)), true
	}
	return amount(value, time.Second)
}

func amount(value string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if most := float64(24 * time.Hour / unit); err == nil && n >= 0 && n <= most {
		return time.Duration(n * float64(unit)), true
	}
	return 0, false
}

// Redact replaces secrets in a message, but for those that are too short or too common to be looked for.
func Redact(message string, secrets ...string) string { return redact.New(secrets...).String(message) }
