package prompt

import (
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/base/limit"
)

// costs holds the cost of slow functions in steps. These are the functions that generate keys or derive passwords.
var costs = map[string]int{
	"bcrypt": slow, "htpasswd": slow, "derivePassword": slow, "genPrivateKey": slow, "genCA": slow, "genCAWithKey": slow,
	"genSelfSignedCert": slow, "genSelfSignedCertWithKey": slow, "genSignedCert": slow, "genSignedCertWithKey": slow,
}

const slow = limit.PromptSteps / 20

// mapEntry is the overhead of a map entry in bytes, in addition to its key and its value.
const mapEntry = 64

// maxDepth is the maximum nesting depth of a value.
const maxDepth = 200

// sizeOf estimates the size of a value in bytes, including everything that it contains. A part that occurs twice counts twice,
// because it is printed twice. sizeOf panics if a value contains itself.
func sizeOf(v reflect.Value, depth int) int {
	if depth > maxDepth {
		panic(errDeep)
	}
	const word = 16
	size := word
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			size += sizeOf(v.Elem(), depth+1)
		}
	case reflect.String:
		size += v.Len()
	case reflect.Slice, reflect.Array:
		size += sizeOfList(v, depth)
	case reflect.Map:
		for each := v.MapRange(); each.Next(); {
			size += mapEntry + sizeOf(each.Key(), depth+1) + sizeOf(each.Value(), depth+1)
			if size > limit.PromptWork {
				panic(errWork)
			}
		}
	default:
	}
	return size
}

func sizeOfList(v reflect.Value, depth int) int {
	switch v.Type().Elem().Kind() {
	case reflect.Interface, reflect.Pointer, reflect.String, reflect.Slice, reflect.Array, reflect.Map:
	default:
		return v.Len() * int(v.Type().Elem().Size())
	}
	size := 0
	for i := range v.Len() {
		if size += sizeOf(v.Index(i), depth+1); size > limit.PromptWork {
			panic(errWork)
		}
	}
	return size
}

// foresee returns an error before a call would create too large a value from small arguments.
func (m *meter) foresee(name string, args []reflect.Value) error {
	rule, ok := growing[strings.TrimPrefix(name, "must")]
	if !ok {
		rule, ok = growing[name]
	}
	if !ok {
		return nil
	}
	if size := rule(args); size > limit.PromptWork-m.work {
		return errWork
	}
	return nil
}

// growing maps a function to the maximum number of bytes that it creates. The arguments have the types of the function's
// parameters.
var growing = map[string]func(args []reflect.Value) int{
	"repeat":    func(a []reflect.Value) int { return times(number(a[0]), length(a[1])) },
	"indent":    func(a []reflect.Value) int { return indented(a) },
	"nindent":   func(a []reflect.Value) int { return indented(a) },
	"until":     func(a []reflect.Value) int { return times(abs(number(a[0])), wordSize) },
	"untilStep": func(a []reflect.Value) int { return times(steps(number(a[0]), number(a[1]), number(a[2])), wordSize) },
	"seq":       func(a []reflect.Value) int { return sequence(a[0]) },
	"randBytes": func(a []reflect.Value) int { return times(number(a[0]), 2) },

	"randAlphaNum": func(a []reflect.Value) int { return times(number(a[0]), 4) },
	"randAlpha":    func(a []reflect.Value) int { return times(number(a[0]), 4) },
	"randAscii":    func(a []reflect.Value) int { return times(number(a[0]), 4) },
	"randNumeric":  func(a []reflect.Value) int { return times(number(a[0]), 4) },

	"replace": func(a []reflect.Value) int {
		return length(a[2]) + times(length(a[2])/max(length(a[0]), 1)+1, length(a[1]))
	},
	"join":                   func(a []reflect.Value) int { return times(length(a[1]), length(a[0])) },
	"regexReplaceAll":        replaced,
	"RegexReplaceAll":        replaced,
	"regexReplaceAllLiteral": replaced,
	"RegexReplaceAllLiteral": replaced,
	"wrapWith": func(a []reflect.Value) int {
		return length(a[2]) + times(length(a[2])/max(number(a[0]), 1)+1, length(a[1]))
	},
	"printf": formatted,
}

const wordSize = 8

func indented(a []reflect.Value) int {
	return times(number(a[0]), 1+strings.Count(a[1].String(), "\n"))
}

// replaced is for the arguments pattern, text and replacement. The replacement may refer to parts of the text with a dollar
// sign.
func replaced(a []reflect.Value) int {
	text, with := a[1].String(), a[2].String()
	return times(len(text)+1, len(with)) + times(strings.Count(with, "$")+1, len(text))
}

var digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+|\*`) })

// formatted counts the widths in a format, and the arguments once for each verb. The fmt package accepts no width above a
// million.
func formatted(a []reflect.Value) int {
	const widest = 1_000_000
	format, size := a[0].String(), 0
	for _, found := range digits().FindAllString(format, -1) {
		width, err := strconv.Atoi(found)
		if err != nil {
			width = widest
		}
		size += min(width, widest)
	}
	return size + times(strings.Count(format, "%"), sizeOf(a[1], 0))
}

func sequence(list reflect.Value) int {
	n := make([]int, 3)
	for i := range min(list.Len(), 3) {
		n[i] = number(list.Index(i))
	}
	switch list.Len() {
	case 1:
		return times(abs(n[0])+1, 20)
	case 2:
		return times(steps(n[0], n[1], 1)+1, 20)
	default:
		return times(steps(n[0], n[2], n[1])+1, 20)
	}
}

func steps(start, stop, step int) int { return abs(stop/2-start/2)/max(abs(step), 1)*2 + 2 }

// times multiplies without overflow. A result above the limit stays above the limit.
func times(a, b int) int {
	a, b = max(a, 0), max(b, 0)
	if a > limit.PromptWork || b > limit.PromptWork {
		if a == 0 || b == 0 {
			return 0
		}
		return limit.PromptWork + 1
	}
	return a * b
}

func abs(n int) int { return max(n, -n) }

// number returns a numeric argument as an integer. An argument of another type counts as 0.
func number(v reflect.Value) int {
	for v.Kind() == reflect.Interface && !v.IsNil() {
		v = v.Elem()
	}
	switch {
	case v.CanInt():
		return int(max(min(v.Int(), 1<<40), -1<<40))
	case v.CanUint():
		return int(min(v.Uint(), 1<<40))
	case v.CanFloat():
		return int(max(min(v.Float(), 1<<40), -1<<40))
	default:
		return 0
	}
}

// length returns the length of a string, slice, array or map.
func length(v reflect.Value) int {
	for v.Kind() == reflect.Interface && !v.IsNil() {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String, reflect.Slice, reflect.Array, reflect.Map:
		return v.Len()
	default:
		return 0
	}
}
