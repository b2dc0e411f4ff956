package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// enum compiles the keyword enum. Values are compared in canonical form, so that a long list costs no more than a short one.
func enum(limit any) (fact, error) {
	values, ok := limit.([]any)
	if !ok {
		return fact{}, errors.New("it is no list")
	}
	known := make(map[string]bool, len(values))
	for _, value := range values {
		known[canonical(value)] = true
	}
	return fact{
		holds: func(value any) (bool, int) {
			text := canonical(value)
			return known[text], canonicalWork(text)
		},
		words: func(any) string { return "must be one of " + choices(values) },
	}, nil
}

func constant(limit any) (fact, error) {
	want := canonical(limit)
	return fact{
		holds: func(value any) (bool, int) {
			text := canonical(value)
			return text == want, canonicalWork(text)
		},
		words: func(any) string { return ": value must be " + compact(limit) },
	}, nil
}

func unique(limit any) (fact, error) {
	wanted, ok := limit.(bool)
	if !ok {
		return fact{}, errors.New("it is neither true nor false")
	}
	return fact{
		holds: func(value any) (bool, int) {
			list, ok := value.([]any)
			if !ok || !wanted {
				return true, 0
			}
			work, known := 0, make(map[string]bool, len(list))
			for _, element := range list {
				text := canonical(element)
				work += canonicalWork(text)
				if known[text] {
					return false, work
				}
				known[text] = true
			}
			return true, work
		},
		words: func(any) string { return ": two of its elements are equal" },
	}, nil
}

// canonical returns the same text for values that are equal by JSON schema: the order of fields and the notation of numbers do
// not matter.
func canonical(value any) string { return compact(normal(value)) }

// canonicalWork estimates the work of canonical, which copies and encodes each value. It counts the punctuation between values,
// which is fast and accurate enough.
func canonicalWork(text string) int {
	const perByte, perValue = 4, 1024
	return perByte*len(text) + perValue*(1+strings.Count(text, ",")+strings.Count(text, "{")+strings.Count(text, "["))
}

// normal gives equal numbers in a value the same notation. A value that is not JSON stays unchanged; check reports it.
func normal(value any) any {
	switch value := value.(type) {
	case []any:
		out := make([]any, len(value))
		for i, v := range value {
			out[i] = normal(v)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(value))
		for name, v := range value {
			out[name] = normal(v)
		}
		return out
	case json.Number:
		if value != "-0" && !strings.ContainsAny(value.String(), ".eE") {
			return value
		}
	case int, int64, uint64: // exact already
		return value
	}
	f, ok := number(value)
	if !ok || math.IsInf(f, 0) || math.IsNaN(f) {
		return value
	}
	if f == math.Trunc(f) {
		whole, _ := big.NewFloat(f).Int(nil)
		return json.Number(whole.String())
	}
	return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
}

// maxChoices is the maximum number of enum values in a message.
const maxChoices = 50

func choices(values []any) string {
	var out []string
	for _, v := range values[:min(len(values), maxChoices)] {
		out = append(out, compact(v))
	}
	text := strings.Join(out, ", ")
	if more := len(values) - maxChoices; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// compact returns a value as JSON.
func compact(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	return strings.TrimSpace(b.String())
}
