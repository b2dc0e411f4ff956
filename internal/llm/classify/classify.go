// Package classify turns the failures of model services into classified errors: from the status and the body of an
// answer, from an error inside a stream, or from a connection that failed.
package classify

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/sdk"
)

// Response classifies an answer that is not what was asked for. A body that tells of an error goes before a status of
// success.
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
		// The service could not read what its own model wrote. Waiting does not help, asking again may.
		e.Type, e.Malformed = "", true
	}
	if hint := hints[e.Type]; hint != "" {
		e.Message += "; " + hint
	}
	return e
}

// Event classifies an error that came inside a stream, where there is no status.
func Event(body []byte) *llm.Error { return Response(0, nil, body) }

var hints = map[string]string{
	sdk.ErrorTypeAuth:             "check the token of the provider",
	sdk.ErrorTypeModelUnavailable: "`aura models` lists the available models",
}

// class decides by what the service calls the error where that is telling, then by the words of its message, then by the
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

// creditless tells an account without credit from one that asks too often: both may come as a 429 that speaks of a quota.
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
	return f.is(modelNames, modelWords) || modelNamed.MatchString(f.lower()) || status == http.StatusNotFound && modelWord.MatchString(f.lower())
}

// status is the one that an answer without a telling status should have had; 0 if that is unknown.
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

// describe is the message of the service behind the status in words, or either.
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
