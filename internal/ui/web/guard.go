package web

import (
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// securityHeaders are in every response.
var securityHeaders = map[string]string{
	"Content-Security-Policy":      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	"Referrer-Policy":              "no-referrer",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "camera=(), geolocation=(), microphone=()",
	"Cache-Control":                "no-store",
}

// guard lets only requests of the user through. The order of its checks is: who is addressed, who asks, what is asked, and the token.
type guard struct {
	token Token
	// hosts are the values of the Host header that are answered. With a Unix socket, any port of these names is answered.
	hosts  []string
	socket bool
	next   http.Handler
	// control is set if pages may ask for changes.
	control bool
	// opened is called at each request with the token.
	opened func()
}

func newGuard(o Options, addr net.Addr, next http.Handler) http.Handler {
	g := &guard{token: o.Token, socket: o.Socket, next: next, hosts: []string{addr.String()}, control: o.Control != nil, opened: func() {}}
	if o.Opened != nil {
		g.opened = sync.OnceFunc(o.Opened)
	}
	if o.Socket {
		g.hosts = []string{"127.0.0.1", "localhost"}
	}
	return http.MaxBytesHandler(g, maxBody)
}

// ServeHTTP implements http.Handler.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range securityHeaders {
		w.Header().Set(name, value)
	}
	// A deadline cannot be set only on a connection that is gone.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
	switch {
	case !g.addressed(r.Host):
		refuse(w, http.StatusMisdirectedRequest, "this server answers only requests to its own address")
	case http.NewCrossOriginProtection().Check(r) != nil:
		refuse(w, http.StatusForbidden, "requests of other pages are refused")
	case r.Method == http.MethodPost && g.control && r.URL.Path == controlPath:
		g.post(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "these pages change nothing")
	case !ownRequest(r) && !navigation(r):
		refuse(w, http.StatusForbidden, "requests of other pages are refused")
	case isAsset(r.URL.Path):
		serveAsset(w, r)
	case navigation(r) && (!ownRequest(r) || !g.token.in(r) && !isPlain(r.URL.Path)):
		// A page that the user opens. Its script has the token and fetches the rest; without a script, the page says what to do.
		serveShell(w)
	case !g.token.in(r):
		g.deny(w, r)
	default:
		know(r.Context())
		g.opened()
		g.next.ServeHTTP(w, r)
	}
}

// post lets a request for a change through. The token must be in the header of our script, which no form of a page and no browser that remembers a
// password can send. A browser must say that our own page asks.
func (g *guard) post(w http.ResponseWriter, r *http.Request) {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	switch site := r.Header.Get("Sec-Fetch-Site"); {
	case !ownRequest(r), site == "none":
		refuse(w, http.StatusForbidden, "requests of other pages are refused")
	case !g.token.inHeader(r):
		g.deny(w, r)
	case kind != "application/x-www-form-urlencoded":
		refuse(w, http.StatusUnsupportedMediaType, "a request for a change is a form")
	default:
		know(r.Context())
		g.next.ServeHTTP(w, r)
	}
}

// addressed reports whether the Host header of a request is our address, and not a name that leads here.
func (g *guard) addressed(host string) bool {
	if g.socket {
		name, port, err := net.SplitHostPort(host)
		if err != nil {
			name, port = host, ""
		}
		host = name
		if strings.Trim(port, "0123456789") != "" {
			return false
		}
	}
	return slices.Contains(g.hosts, host)
}

// ownRequest reports whether a request comes from our own page, from the address bar, or from a program that is no browser. A page on another
// port of this machine is of the same site, and of another origin.
func ownRequest(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return false
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "" || site == "same-origin" || site == "none"
}

// navigation reports whether a browser opens a page in a tab.
func navigation(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" && r.Method == http.MethodGet
}

// plainPath is above the addresses of the pages for a browser without scripts. Each of them asks for the token, because browsers do not always
// send a password before they are asked for it.
const plainPath = "/plain"

func isPlain(path string) bool { return strings.HasPrefix(path, plainPath+"/") }

// deny answers a request without the token. Only the pages that are there for it make the browser ask for the token.
func (g *guard) deny(w http.ResponseWriter, r *http.Request) {
	if isPlain(r.URL.Path) {
		w.Header().Set("WWW-Authenticate", `Basic realm="aura web: any name, the token as password", charset="UTF-8"`)
	}
	refuse(w, http.StatusUnauthorized, "the token is missing or wrong: open the address that aura web printed")
}

// refuse answers a request that is not answered. The text says nothing about the request.
func refuse(w http.ResponseWriter, status int, why string) {
	http.Error(w, why, status)
}
