package event

import (
	"bytes"
	"encoding/json"
)

// JSON encodes a value as people write it: & and < stay what they are, for nothing here is put into a web page.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
