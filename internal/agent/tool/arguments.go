package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// ParseArguments parses the arguments of a call, which must be one JSON object. It converts numbers with Number.
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

// parseJSON parses exactly one JSON value. Numbers become json.Number.
func parseJSON(raw []byte, into any) error {
	// A Decoder alone would accept further values after the first.
	var one json.RawMessage
	if err := json.Unmarshal(raw, &one); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(one))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// numbers replaces each json.Number within a value. It changes maps and slices in place.
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

// exactDigits is the number of digits up to which a float64 represents, and prints, every integer exactly. maxExact is the
// largest integer up to which a float64 is always exact.
const (
	exactDigits = 15
	maxExact    = 1 << 53
)

// Number converts a JSON number to the type that Go code expects: a float64, unless it is an integer beyond 2^53. A float64
// would change such an integer, which may be an identifier. It becomes an int, or stays a json.Number if it does not fit into
// an int.
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
