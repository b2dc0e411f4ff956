package web

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/idelchi/aura/internal/base/plaintext"
)

// maxURL is the maximum size of a URL, in bytes.
const maxURL = 4096

const schemeHTTPS = "https"

// Address reads the URL of a page. It leaves out the fragment, and makes https of http unless the URL names a port.
func Address(text string) (*url.URL, error) {
	if len(text) > maxURL {
		return nil, fmt.Errorf("the URL has more than %d bytes", maxURL)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return nil, errors.New("the URL has a blank or a control character in it; write %20 for a blank")
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("it is no URL") // the error of the library repeats the URL, with what may be a password
	}
	switch {
	case u.Scheme == "" || u.Opaque != "" && u.Scheme != "data":
		return nil, errors.New("write the whole URL, such as https://example.com/page")
	case u.Scheme != "http" && u.Scheme != schemeHTTPS:
		return nil, fmt.Errorf("only URLs of http and https can be fetched, not of %s", plaintext.Line(u.Scheme))
	case u.User != nil:
		return nil, errors.New("the URL has a user name or a password in it; aura sends none")
	case u.Hostname() == "":
		return nil, errors.New("the URL has no host")
	}
	u.Host = strings.ToLower(u.Host)
	u.Fragment, u.RawFragment = "", ""
	secure(u)
	return u, nil
}

// secure makes https of http unless the URL names a port.
func secure(u *url.URL) {
	if u.Scheme == "http" && u.Port() == "" {
		u.Scheme = schemeHTTPS
	}
}

// sameHost reports whether two URLs lead to the same server.
func sameHost(a, b *url.URL) bool { return strings.EqualFold(dialled(a), dialled(b)) }

// dialled returns the host and port of a URL.
func dialled(u *url.URL) string {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == schemeHTTPS:
		port = "443"
	default:
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}
