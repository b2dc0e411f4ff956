package recording

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"

	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/shared"
)

// hider removes secrets from JSON in the form of shared.EncodeExact. memory is where it encodes values; it may be nil.
type hider struct {
	secrets *redact.Redactor
	memory  *[]byte
}

// exact returns a value as JSON without secrets, and whether there were any.
func (h hider) exact(value any) (clean []byte, redacted bool, err error) {
	if h.memory == nil {
		h.memory = new([]byte)
	}
	before := len(*h.memory)
	all, err := shared.AppendExact(*h.memory, value)
	if err != nil {
		return nil, false, err
	}
	*h.memory = all
	return h.json(slices.Clip(all[before:]))
}

// spare returns memory for the next value, unless there is so much that it is better freed.
func spare(memory []byte) []byte {
	if cap(memory) > buffered {
		return nil
	}
	return memory[:0]
}

// The marks of texts and bytes that JSON cannot represent; see shared.EncodeExact.
var encodedMarks = []string{"$text", "$data"}

// json returns a document without secrets, and whether there were any.
func (h hider) json(document []byte) ([]byte, bool, error) {
	if h.secrets == nil {
		return document, false, nil
	}
	clean := document
	for _, mark := range encodedMarks {
		if bytes.Contains(document, []byte(mark)) {
			decoded, err := h.encoded(document)
			if err != nil {
				return nil, false, err
			}
			clean = decoded
			break
		}
	}
	clean = h.secrets.JSON(clean)
	return clean, !bytes.Equal(clean, document), nil
}

// encoded removes secrets from the texts and bytes that are in base64.
func (h hider) encoded(document []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return nil, err
	}
	if !h.walk(tree) {
		return document, nil
	}
	return json.Marshal(tree)
}

// walk changes a tree in place and reports whether it did.
func (h hider) walk(tree any) (changed bool) {
	switch x := tree.(type) {
	case []any:
		for _, e := range x {
			changed = h.walk(e) || changed
		}
	case map[string]any:
		for _, mark := range encodedMarks {
			text, ok := x[mark].(string)
			raw, err := base64.StdEncoding.DecodeString(text)
			if clean := h.secrets.String(string(raw)); ok && err == nil && clean != string(raw) {
				x[mark], changed = base64.StdEncoding.EncodeToString([]byte(clean)), true
			}
		}
		for _, e := range x {
			changed = h.walk(e) || changed
		}
	}
	return changed
}
