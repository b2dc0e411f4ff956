package redact

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// MinLength is the least length of a secret, in bytes. A shorter value would match within common words.
const MinLength = 8

// placeholders lists values that are used instead of a secret and that also occur in many other texts.
var placeholders = []string{
	"anonymous", "changeit", "changeme", "default", "disabled", "enabled", "example", "localhost", "not-needed", "notneeded",
	"optional", "password", "passwort", "placeholder", "postgres", "required", "undefined", "username", "application/json",
}

// digits matches numbers, dates and versions. paths matches the beginnings of file paths on the systems that aura runs on.
var (
	digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9][0-9.,:_-]*$`) })
	paths  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(~|\.|\.\.)?/$|^(~|\.|\.\.)/|^/(bin|dev|etc|home|lib|mnt|nix|opt|private|proc|root|run|srv|sys|tmp|usr|var|Users|Volumes)/|^[A-Za-z]:\\`)
	})
)

// Worth reports whether a value is searched in texts: it has at least MinLength bytes and is neither a number, a path nor a
// placeholder such as "password".
func Worth(value string) bool {
	return len(value) >= MinLength && !digits().MatchString(value) && !paths().MatchString(value) &&
		!slices.Contains(placeholders, strings.ToLower(value))
}

// forms returns the forms in which a value is written: unchanged, and encoded for a header or an address.
func forms(value string) []string {
	raw := []byte(value)
	return []string{
		value, url.QueryEscape(value), url.PathEscape(value),
		// The form without padding also matches the form with padding.
		base64.RawStdEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw),
	}
}

var (
	secretName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)token|secret|passw|passphrase|api_?key|access_?key|private_?key|authorization|credential|cookie|(^|_)(key|pass|pat)$|_pwd$`)
	})
	// harmlessName matches the names of counts of tokens, and of locations of secrets.
	harmlessName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)tokens|tokenizer|_(file|path|dir|url|host)$`) })
	// plainHeader matches headers whose values are not secret.
	plainHeader = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(accept.*|content-.*|user-agent|host|origin|referer|cache-control|connection|mcp-.*)$`)
	})
)

// SecretName reports whether the value of a variable or a setting with this name is a secret.
func SecretName(name string) bool { return secretName().MatchString(name) }

// Environ returns the secret values of an environment: those of variables with secret names, and passwords in addresses.
func Environ(environ []string) []string {
	var values []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if SecretName(name) && !harmlessName().MatchString(name) {
			values = append(values, value)
		}
		values = append(values, Address(value)...)
	}
	return values
}

// Address returns the password in an address; nil if there is none.
func Address(address string) []string {
	if !strings.Contains(address, "://") || !strings.Contains(address, "@") {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	if secret, ok := u.User.Password(); ok {
		return []string{secret}
	}
	return nil
}

// Headers returns the secret values of HTTP headers: the whole value, and the value without its first word, such as Bearer.
func Headers(headers map[string]string) []string {
	var values []string
	for name, value := range headers {
		if plainHeader().MatchString(name) {
			continue
		}
		values = append(values, value)
		if _, secret, ok := strings.Cut(value, " "); ok {
			values = append(values, secret)
		}
	}
	return values
}
