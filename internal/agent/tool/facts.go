package tool

import (
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// fact is a compiled keyword that concerns only the value itself and contains no schemas.
type fact struct {
	// holds reports whether a value satisfies the keyword, and the work of the check. It is true for a value of a type that the
	// keyword does not apply to.
	holds func(value any) (ok bool, work int)
	// work returns the work of holds in advance. It is nil unless holds can be too expensive to start.
	work func(value any) int
	// words describes the problem of a value that does not satisfy the keyword.
	words func(value any) string
}

// facts compiles the keywords of a schema that concern only the value itself.
func (r *reader) facts() []fact {
	out := r.bounds()
	for _, k := range []struct {
		keyword string
		read    func(limit any) (fact, error)
	}{{"enum", enum}, {"const", constant}, {"pattern", r.matching}, {"uniqueItems", unique}} {
		limit, ok := r.written[k.keyword]
		if !ok {
			continue
		}
		f, err := k.read(limit)
		if err != nil {
			r.fail(k.keyword, err)
			continue
		}
		out = append(out, f)
	}
	if limit, ok := r.written["multipleOf"]; ok {
		out = append(out, r.multiple(limit))
	}
	return out
}

// bound is a keyword that compares a measure of the value with a number.
type bound struct {
	keyword string
	of      func(value any) (float64, bool)
	holds   func(got, limit float64) bool
}

func atLeast(got, limit float64) bool  { return got >= limit }
func atMost(got, limit float64) bool   { return got <= limit }
func moreThan(got, limit float64) bool { return got > limit }
func lessThan(got, limit float64) bool { return got < limit }

var bounds = []bound{
	{"minimum", measured, atLeast},
	{"maximum", measured, atMost},
	{"exclusiveMinimum", measured, moreThan},
	{"exclusiveMaximum", measured, lessThan},
	{"minLength", characters, atLeast},
	{"maxLength", characters, atMost},
	{"minItems", elements, atLeast},
	{"maxItems", elements, atMost},
	{"minProperties", fields, atLeast},
	{"maxProperties", fields, atMost},
}

func (r *reader) bounds() []fact {
	var out []fact
	for _, b := range bounds {
		limit, ok := r.written[b.keyword]
		if _, flag := limit.(bool); !ok || flag && strings.HasPrefix(b.keyword, "exclusive") {
			continue
		}
		border, ok := number(limit)
		if !ok {
			r.fail(b.keyword, fmt.Errorf("%s is no number that can be compared with", compact(limit)))
			continue
		}
		// In draft 4, a second keyword with a boolean value excludes the limit itself.
		switch exclusive := func(keyword string) bool { return r.written[keyword] == true }; {
		case b.keyword == "minimum" && exclusive("exclusiveMinimum"):
			b.holds = moreThan
		case b.keyword == "maximum" && exclusive("exclusiveMaximum"):
			b.holds = lessThan
		}
		out = append(out, fact{
			holds: func(value any) (bool, int) {
				got, about := b.of(value)
				return !about || b.holds(got, border), width(value)
			},
			words: func(value any) string {
				got, _ := b.of(value)
				return fmt.Sprintf(": %s: got %s, want %v", b.keyword, compact(got), limit)
			},
		})
	}
	return out
}

// multiple compiles the keyword multipleOf. It calculates in decimals, so that 0.3 is a multiple of 0.1.
func (r *reader) multiple(limit any) fact {
	unit, ok := decimal(limit)
	if !ok || unit.Sign() <= 0 {
		r.fail("multipleOf", errors.New("it is no positive number"))
	}
	return fact{
		holds: func(value any) (bool, int) {
			v, ok := decimal(value)
			return !ok || v.Quo(v, unit).IsInt(), 1
		},
		words: func(value any) string { return fmt.Sprintf(": multipleOf: got %v, want %v", value, limit) },
	}
}

// decimal returns a number as an exact decimal. It returns false if value is not a finite number.
func decimal(value any) (*big.Rat, bool) {
	f, ok := number(value)
	if !ok {
		return nil, false
	}
	return new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
}

// measured returns a number of any of Go's numeric types.
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

func characters(value any) (float64, bool) {
	text, ok := value.(string)
	return float64(utf8.RuneCountInString(text)), ok
}

func elements(value any) (float64, bool) {
	list, ok := value.([]any)
	return float64(len(list)), ok
}

func fields(value any) (float64, bool) {
	object, ok := value.(map[string]any)
	return float64(len(object)), ok
}
