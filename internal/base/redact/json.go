package redact

import (
	"bytes"
	"encoding/json"
)

// JSON redacts the strings of a JSON document, including keys. It changes nothing else, so that the result is valid JSON. The
// result may share memory with the document.
func (r *Redactor) JSON(document []byte) []byte {
	if r == nil {
		return document
	}
	var out []byte
	done := 0
	for i := 0; i < len(document); i++ {
		if document[i] != '"' {
			continue
		}
		end := closing(document, i+1)
		if clean, changed := r.literal(document[i:end]); changed {
			out = append(append(out, document[done:i]...), clean...)
			done = end
		}
		i = end - 1
	}
	if done == 0 {
		return document
	}
	return append(out, document[done:]...)
}

// closing returns the index after the quote that ends a string.
func closing(document []byte, i int) int {
	for ; i < len(document); i++ {
		switch document[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(document)
}

// within reports whether a text contains a secret.
func (r *Redactor) within(text []byte) bool {
	for i, c := range text {
		for _, s := range r.starting[c] {
			if len(text)-i >= len(s) && string(text[i:i+len(s)]) == s {
				return true
			}
		}
	}
	return false
}

// literal redacts one string with its quotes. Text that is not a valid string is redacted as plain text.
func (r *Redactor) literal(quoted []byte) (clean []byte, changed bool) {
	if !bytes.ContainsRune(quoted, '\\') && !r.within(quoted) {
		return nil, false // the text has no escapes, so it need not be decoded
	}
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		raw := string(quoted)
		redacted := r.String(raw)
		return []byte(redacted), redacted != raw
	}
	redacted := r.String(text)
	if redacted == text {
		return nil, false
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(redacted) != nil {
		return []byte(`"` + r.mark + `"`), true
	}
	return bytes.TrimRight(b.Bytes(), "\n"), true
}
