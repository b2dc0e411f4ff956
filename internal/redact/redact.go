// Package redact takes known secret values out of text that is kept or shown: journals, events, logs, exports and errors. It
// knows values, not patterns: what nobody named as a secret is not found.
package redact

import (
	"cmp"
	"slices"
	"strings"
)

// Mark stands in the place of a secret.
const Mark = "[redacted]"

// Redactor replaces secrets. It does not change, so that goroutines may share it. A nil Redactor knows no secrets.
type Redactor struct {
	mark string
	// starting holds the secrets by their first bytes, of each the longest first: it is the one that is meant where one
	// secret begins like another.
	starting [256][]string
}

// New returns a Redactor of values, without those that are not worth it (see Worth). It is nil if none is left.
func New(values ...string) *Redactor { return NewWithMark(Mark, values...) }

// NewWithMark is New with something else in the place of secrets.
func NewWithMark(mark string, values ...string) *Redactor {
	var all []string
	for _, value := range values {
		if value = strings.TrimSpace(value); Worth(value) {
			all = append(all, forms(value)...)
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	r := &Redactor{mark: mark}
	for _, form := range slices.Compact(all) {
		r.starting[form[0]] = append(r.starting[form[0]], form)
	}
	return r
}

// String returns a text without secrets. A text without any is returned as it is.
func (r *Redactor) String(text string) string {
	if r == nil {
		return text
	}
	out, _ := r.scan(text, true)
	return out
}

// scan replaces secrets in a text. If it is not the last of its kind, scan stops where a secret may begin that ends in what
// follows, and returns that as the rest.
func (r *Redactor) scan(text string, last bool) (out, rest string) {
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); i++ {
		secret, partial := r.at(text[i:])
		if partial && !last {
			return concat(&b, text[done:i]), text[i:]
		}
		if secret == "" {
			continue
		}
		b.WriteString(text[done:i])
		b.WriteString(r.mark)
		done = i + len(secret)
		i = done - 1
	}
	return concat(&b, text[done:]), ""
}

// concat avoids a copy of a text that had no secrets.
func concat(b *strings.Builder, tail string) string {
	if b.Len() == 0 {
		return tail
	}
	b.WriteString(tail)
	return b.String()
}

// at returns the secret that a text begins with. It is partial if a longer one may begin there, of which the end is missing.
func (r *Redactor) at(text string) (secret string, partial bool) {
	for _, s := range r.starting[text[0]] {
		if strings.HasPrefix(text, s) {
			return s, partial
		}
		partial = partial || strings.HasPrefix(s, text)
	}
	return "", partial
}
