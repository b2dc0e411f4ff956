package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// ParseArguments reads the arguments of a call, which are one JSON object. Numbers are as Number returns them.
func ParseArguments(raw []byte) (map[string]any, error) {
	args := map[string]any{}
	if err := parseJSON(raw, &args); err != nil {
		return nil, err
	}
	for key, value := range args {
		exact, err := numbers(value)
		if err != nil {
			return nil, err
		}
		args[key] = exact
	}
	return args, nil
}

// parseJSON reads one JSON value, with its numbers as they are written.
func parseJSON(raw []byte, into any) error {
	// A decoder would take the first value of several.
	var one json.RawMessage
	if err := json.Unmarshal(raw, &one); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(one))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// numbers replaces each json.Number within a value, in place.
func numbers(value any) (any, error) {
	var err error
	switch v := value.(type) {
	case json.Number:
		return Number(v)
	case map[string]any:
		for key := range v {
			if v[key], err = numbers(v[key]); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range v {
			if v[i], err = numbers(v[i]); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// exactDigits is how many digits an integer has that a float64 always holds, and writes, exactly; maxExact is the largest of all.
const (
	exactDigits = 15
	maxExact    = 1 << 53
)

// Number returns a JSON number as Go code expects it: a float64, unless it is an integer beyond 2^53. A float64 would change such
// an integer, which may be an identifier, so it is an int, or a json.Number if it is too large for that.
func Number(n json.Number) (any, error) {
	f, err := n.Float64()
	if err != nil {
		return nil, fmt.Errorf("the number %s is out of range", n)
	}
	digits := strings.TrimPrefix(n.String(), "-")
	if len(digits) <= exactDigits || strings.ContainsAny(digits, ".eE") {
		return f, nil
	}
	i, err := strconv.ParseInt(n.String(), 10, 64)
	switch {
	case err != nil || int64(int(i)) != i:
		return n, nil //nolint:nilerr // an int cannot hold it
	case -maxExact <= i && i <= maxExact:
		return f, nil
	default:
		return int(i), nil
	}
}
