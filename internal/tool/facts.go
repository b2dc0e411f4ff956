package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// fact is a keyword about a value as such, without other schemas inside.
type fact struct {
	// holds reports whether a value is as the keyword wants it, or of a type that it is not about.
	holds func(value any) bool
	// words say what is wrong, about a value that is not.
	words func(value any) string
}

// facts are decided by the library, one keyword at a time, and put into our words.
func (r *reader) facts() []fact {
	var out []fact
	for _, k := range []struct {
		keyword string
		words   func(limit, value any) string
	}{
		{"enum", func(limit, _ any) string { return "must be one of " + choices(limit) }},
		{"const", func(limit, _ any) string { return ": value must be " + compact(limit) }},
		{"minimum", compared("minimum", plain)}, {"maximum", compared("maximum", plain)},
		{"exclusiveMinimum", compared("exclusiveMinimum", plain)}, {"exclusiveMaximum", compared("exclusiveMaximum", plain)},
		{"minLength", compared("minLength", length)}, {"maxLength", compared("maxLength", length)},
		{"minItems", compared("minItems", length)}, {"maxItems", compared("maxItems", length)},
		{"minProperties", compared("minProperties", length)}, {"maxProperties", compared("maxProperties", length)},
		{"pattern", func(limit, value any) string { return fmt.Sprintf(": '%v' does not match pattern '%v'", value, limit) }},
		{"uniqueItems", func(any, any) string { return ": two of its elements are equal" }},
	} {
		limit, ok := r.written[k.keyword]
		if !ok {
			continue
		}
		keyword := k.keyword
		if exclusive := "exclusive" + strings.ToUpper(keyword[:1]) + keyword[1:]; r.written[exclusive] == true {
			keyword = exclusive // as in draft 4
		} else if _, flag := limit.(bool); flag && strings.HasPrefix(keyword, "exclusive") {
			continue
		}
		rule, err := lone(keyword, limit)
		if err != nil {
			r.fail(keyword, err)
			continue
		}
		out = append(out, fact{
			holds: func(value any) bool { return rule.Validate(value) == nil },
			words: func(value any) string { return k.words(limit, value) },
		})
	}
	if limit, ok := r.written["multipleOf"]; ok {
		out = append(out, r.multiple(limit))
	}
	return out
}

// lone is a schema of a single keyword.
func lone(keyword string, limit any) (*jsonschema.Resolved, error) {
	raw, err := json.Marshal(object{keyword: limit})
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
}

// multiple counts in decimals, by which 0.3 is a multiple of 0.1.
func (r *reader) multiple(limit any) fact {
	unit, ok := decimal(limit)
	if !ok || unit.Sign() <= 0 {
		r.fail("multipleOf", errors.New("it is no positive number"))
	}
	return fact{
		holds: func(value any) bool {
			v, ok := decimal(value)
			return !ok || v.Quo(v, unit).IsInt()
		},
		words: func(value any) string { return compared("multipleOf", plain)(limit, value) },
	}
}

// decimal is a number as it is written. Both too large and too long ones are none.
func decimal(value any) (*big.Rat, bool) {
	f, ok := number(value)
	if !ok {
		return nil, false
	}
	return new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
}

// measured is a number of any of Go's types.
func measured(value any) (float64, bool) {
	v := reflect.ValueOf(value)
	switch {
	case v.CanFloat():
		return v.Float(), true
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	default:
		return 0, false
	}
}

func compared(keyword string, of func(any) any) func(limit, value any) string {
	return func(limit, value any) string { return fmt.Sprintf(": %s: got %v, want %v", keyword, of(value), limit) }
}

func plain(value any) any { return value }

func length(value any) any {
	if text, ok := value.(string); ok {
		return utf8.RuneCountInString(text)
	}
	return reflect.ValueOf(value).Len()
}

// maxChoices is how many values of an enum a message names.
const maxChoices = 50

func choices(limit any) string {
	values, ok := limit.([]any)
	if !ok {
		return compact(limit)
	}
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

// compact is a value as JSON.
func compact(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	return strings.TrimSpace(b.String())
}
