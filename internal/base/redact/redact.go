// Package redact removes known secret values from text that is stored or shown: journals, events, logs, exports and errors. It
// searches for values, not for patterns: a secret that was not named to it is not found.
package redact

import (
	"cmp"
	"slices"
	"strings"
)

// Mark replaces a secret.
const Mark = "[redacted]"

// Redactor replaces secrets. It is immutable, so goroutines may share it. A nil Redactor knows no secrets.
type Redactor struct {
	mark string
	// starting holds the secrets by their first byte, the longest first. If one secret is the beginning of another, the longer
	// one must match first.
	starting [256][]string
}

// New returns a Redactor for values. It ignores values that are not worth redacting; see Worth. It returns nil if no value is
// left.
func New(values ...string) *Redactor { return NewWithMark(Mark, values...) }

// NewWithMark is like New, but replaces secrets by mark.
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

// String returns a text without secrets. It returns a text that contains none unchanged.
func (r *Redactor) String(text string) string {
	if r == nil {
		return text
	}
	out, _ := r.scan(text, true)
	return out
}

// scan replaces secrets in a text. If last is false, more text follows: scan then stops where a secret may begin that ends in
// the following text, and returns that part as rest.
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

// concat returns the content of b followed by tail. It avoids copying a text that had no secrets.
func concat(b *strings.Builder, tail string) string {
	if b.Len() == 0 {
		return tail
	}
	b.WriteString(tail)
	return b.String()
}

// at returns the secret that a text begins with. partial is true if the text may be the beginning of a longer secret.
func (r *Redactor) at(text string) (secret string, partial bool) {
	for _, s := range r.starting[text[0]] {
		if strings.HasPrefix(text, s) {
			return s, partial
		}
		partial = partial || strings.HasPrefix(s, text)
	}
	return "", partial
}
