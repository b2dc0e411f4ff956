package event

import (
	"bytes"
	"encoding/json"
)

// JSON encodes a value without escaping & and <, because the output is never embedded in a web page.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
