package index

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Parse reads an index strictly: a key that is unknown, that is there twice or that is written in another case is an error, as is a value of another type.
func Parse(text []byte) (*Index, error) {
	x, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", FileName, err)
	}
	return x, nil
}

func parse(text []byte) (*Index, error) {
	if len(text) > MaxSize {
		return nil, fmt.Errorf("it has more than the limit of %d MB", MaxSize>>20)
	}
	// A later version may have keys that this one does not know.
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &head); err == nil && head.Version > version {
		return nil, fmt.Errorf("its version is %d, and this aura supports version %d; use a newer aura", head.Version, version)
	}
	x := &Index{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(x); err != nil {
		return nil, placed(text, d.InputOffset(), err)
	}
	end := d.InputOffset()
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, placed(text, end, errors.New("there is more after the end of the object"))
	}
	if err := checkKeys(text); err != nil {
		return nil, err
	}
	return x, x.check()
}

// placed adds the line of an error.
func placed(text []byte, offset int64, err error) error {
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = e.Offset
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset = e.Offset
	}
	line := 1 + bytes.Count(text[:min(max(offset, 0), int64(len(text)))], []byte("\n"))
	return fmt.Errorf("line %d: %w", line, err)
}

// freeKey is the object whose keys are names.
const freeKey = "requests"

// checkKeys returns an error for keys that encoding/json accepts although they are not those of the format: the second of two, and one in another case.
func checkKeys(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return checkValue(d, text, "")
}

// checkValue checks the next value. below is the key of the object that it is in.
func checkValue(d *json.Decoder, text []byte, below string) error {
	token, err := d.Token()
	if err != nil {
		return placed(text, d.InputOffset(), err)
	}
	open, nested := token.(json.Delim)
	if !nested {
		return nil
	}
	seen := map[string]bool{}
	for d.More() {
		key := below
		if open == '{' {
			if token, err = d.Token(); err != nil {
				return placed(text, d.InputOffset(), err)
			}
			key, _ = token.(string)
			switch folded := strings.ToLower(key); {
			case seen[folded]:
				return placed(text, d.InputOffset(), fmt.Errorf("the key %.80q is there twice", key))
			case folded != key && below != freeKey:
				return placed(text, d.InputOffset(), fmt.Errorf("unknown key %.80q", key))
			default:
				seen[folded] = true
			}
			if below == freeKey {
				key = ""
			}
		}
		if err := checkValue(d, text, key); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}
