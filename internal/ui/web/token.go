package web

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
)

// Token is the secret that requests must send.
type Token string

// tokenBytes is the length of a token in bytes: 256 bits.
const tokenBytes = 32

// tokenHeader carries the token of a request that our script makes.
const tokenHeader = "Aura-Token"

// NewToken returns a random token.
func NewToken() Token {
	raw := make([]byte, tokenBytes)
	// Read never fails.
	_, _ = rand.Read(raw)
	return Token(hex.EncodeToString(raw))
}

// in reports whether a request has the token, in the header of our script or as the password of HTTP authentication, which a browser
// without scripts sends. The comparison takes the same time for all values.
func (t Token) in(r *http.Request) bool {
	sent := r.Header.Get(tokenHeader)
	if _, password, ok := r.BasicAuth(); ok && sent == "" {
		sent = password
	}
	return t.is(sent)
}

// inHeader reports whether a request has the token in the header of our script.
func (t Token) inHeader(r *http.Request) bool { return t.is(r.Header.Get(tokenHeader)) }

func (t Token) is(sent string) bool {
	a, b := sha256.Sum256([]byte(sent)), sha256.Sum256([]byte(t))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1 && len(t) == 2*tokenBytes
}
