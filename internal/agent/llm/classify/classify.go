// Package classify converts the failures of model services to classified errors. It uses the status and the body of an answer,
// an error inside a stream, or a failed connection.
package classify

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/sdk"
)

// Response classifies an answer that is an error. If the status means success, the error in the body takes precedence.
func Response(status int, header http.Header, body []byte) *llm.Error {
	f := parse(body)
	if status < http.StatusMultipleChoices {
		status = f.status()
	}
	e := &llm.Error{Type: f.class(status), Message: f.describe(status)}
	if after, ok := retryAfter(header, time.Now()); ok {
		e.RetryAfter = after
	} else {
		e.RetryAfter = f.retryDelay
	}
	if f.says(parseWords) {
		// The service could not parse its own model's output. Waiting does not help, but repeating the call may.
		e.Type, e.Malformed = "", true
	}
	if hint := hints[e.Type]; hint != "" {
		e.Message += "; " + hint
	}
	return e
}

// Event classifies an error inside a stream, where there is no status.
func Event(body []byte) *llm.Error { return Response(0, nil, body) }

var hints = map[string]string{
	sdk.ErrorTypeAuth:             "check the token of the provider",
	sdk.ErrorTypeModelUnavailable: "`aura models` lists the available models",
}

// class determines the error type. It prefers the service's names for the error, then the words of the message, then the
// status.
func (f failure) class(status int) string {
	server := status >= http.StatusInternalServerError
	switch {
	case status != http.StatusTooManyRequests && f.is(contextNames, contextWords):
		return sdk.ErrorTypeContextExhausted
	case status == http.StatusRequestEntityTooLarge:
		return sdk.ErrorTypeContextExhausted
	case server:
		return sdk.ErrorTypeServer
	case f.is(filterNames, filterWords):
		return sdk.ErrorTypeContentFilter
	case status == http.StatusPaymentRequired, f.creditless(status):
		return sdk.ErrorTypeCreditExhausted
	case f.modelless(status):
		return sdk.ErrorTypeModelUnavailable
	case status == http.StatusTooManyRequests:
		return sdk.ErrorTypeRateLimit
	case status == http.StatusUnauthorized, status == http.StatusForbidden, f.is(authNames, authWords):
		return sdk.ErrorTypeAuth
	default:
		return ""
	}
}

// creditless reports whether the account has no credit. A 429 that mentions a quota can mean that, or only too many requests.
func (f failure) creditless(status int) bool {
	switch {
	case f.named(creditNames):
		return true
	case status == http.StatusTooManyRequests:
		return !f.perMinute && !f.is(rateNames, rateWords) && f.says(quotaWords)
	default:
		return f.says(creditWords)
	}
}

func (f failure) modelless(status int) bool {
	return f.is(modelNames, modelWords) || modelNamed().MatchString(f.lower()) || status == http.StatusNotFound && modelWord().MatchString(f.lower())
}

// status returns the status that corresponds to the error in the body, or 0 if it is unknown. It is for answers whose own
// status does not report the error.
func (f failure) status() int {
	if code, err := strconv.Atoi(f.code); err == nil && code >= http.StatusBadRequest && code < 600 {
		return code
	}
	for _, name := range []string{f.kind, f.state, f.code} {
		if status, ok := namedStatus[strings.ToLower(name)]; ok {
			return status
		}
	}
	return 0
}

// describe returns the status in words followed by the service's message, or whichever of the two is present.
func (f failure) describe(status int) string {
	text := http.StatusText(status)
	if status == statusOverloaded {
		text = "Overloaded"
	}
	if status != 0 {
		text = strings.TrimSpace(strconv.Itoa(status) + " " + text)
	}
	switch {
	case f.message == "":
		return cmp.Or(text, "the service failed without saying why")
	case text == "":
		return f.message
	default:
		return text + ": " + f.message
	}
}
