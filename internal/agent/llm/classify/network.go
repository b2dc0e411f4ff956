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

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/sdk"
)

// Network classifies a failure to connect to a host (scheme://host) or to read its complete answer. The rest of the URL is
// omitted because it may contain secrets.
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

// Stalled returns the error for a host that is connected but silent.
func Stalled(host string, idle time.Duration) *llm.Error {
	return &llm.Error{Type: sdk.ErrorTypeNetwork, Message: fmt.Sprintf("reaching %s: no data for %s; raise idle_timeout of the provider if the model needs longer", host, idle)}
}

// TooMuch returns the error for an answer that exceeds a limit. It is not retryable, because the same call would likely fail
// again.
func TooMuch(host, most string) *llm.Error {
	return &llm.Error{Message: fmt.Sprintf("reading the answer of %s: it has more than the limit of %s, so the connection was closed", host, most)}
}

// Cut returns the error for a stream that was closed normally but before the answer was complete.
func Cut(host string) *llm.Error { return Network(host, io.ErrUnexpectedEOF) }

func isTimeout(err error) bool {
	failed, ok := errors.AsType[net.Error](err)
	return ok && failed.Timeout()
}

// retryAfter parses how long the service asks the client to wait. A date in the past counts as 0.
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

// Redact replaces secrets in a message, except secrets that are too short or too common to search for.
func Redact(message string, secrets ...string) string { return redact.New(secrets...).String(message) }
