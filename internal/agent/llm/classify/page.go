package classify

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"

	"github.com/idelchi/aura/internal/agent/llm"
)

// checkURL is the advice for an address that is not that of a model service.
const checkURL = "check the url of the provider"

// IsPage reports whether a text begins like an HTML page.
func IsPage(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n\ufeff"), []byte("<"))
}

// Page returns the error for an HTML page in place of an answer. status is 0 if it was a success. The error is not retryable,
// because the same call would fail again.
func Page(at string, status int) *llm.Error {
	var with string
	if status != 0 {
		with = fmt.Sprintf(" (%d %s)", status, http.StatusText(status))
	}
	return &llm.Error{Message: at + " answered with a web page instead of a model's answer" + with + "; " + checkURL}
}

// Refusal is like Response, for an answer with an error status. It adds advice if the status suggests a wrong address.
func Refusal(at string, status int, header http.Header, body []byte) *llm.Error {
	e := Response(status, header, body)
	switch {
	case e.Type != "" || e.Malformed:
	case status < http.StatusBadRequest:
		e.Message += redirect(header) + "; aura follows no redirects: " + checkURL
	case status == http.StatusProxyAuthRequired:
		e.Message += "; check the user and the password of the proxy in HTTP_PROXY and HTTPS_PROXY"
	case IsPage(body):
		return Page(at, status)
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		e.Message += "; " + at + " does not exist: " + checkURL
	}
	return e
}

// redirect returns the target of a redirect. It omits the parts of the URL that may contain secrets.
func redirect(header http.Header) string {
	to, err := url.Parse(header.Get("Location"))
	if err != nil || to.Host == "" {
		return ""
	}
	return shorten(" to " + (&url.URL{Scheme: to.Scheme, Host: to.Host, Path: to.Path}).String())
}
