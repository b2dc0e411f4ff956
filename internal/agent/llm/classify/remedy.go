package classify

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"
)

// remedy returns advice for a failed connection, or "" if none is known.
func remedy(err error) string {
	var text string
	operation, _ := errors.AsType[*net.OpError](err)
	_, lookup := errors.AsType[*net.DNSError](err)
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, plain := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case operation != nil && operation.Op == "proxyconnect", strings.Contains(err.Error(), "Proxy Authentication Required"):
		text = "the connection goes through a proxy: check HTTP_PROXY, HTTPS_PROXY and NO_PROXY"
	case authority, certificate:
		text = "the certificate is not accepted: " + checkURL + ", or add the authority that signed it to those of the system (SSL_CERT_FILE)"
	case plain, strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		text = "the server speaks http, not https: " + checkURL
	case operation != nil && operation.Op == "dial" && strings.Contains(err.Error(), "refused"):
		text = "no server listens there: start it, or " + checkURL
	case lookup:
		text = "the name is not known: " + checkURL + ", and the network"
	default:
		return ""
	}
	return "; " + text
}
