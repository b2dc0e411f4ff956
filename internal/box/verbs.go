package box

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Args returns a format and the arguments so that package fmt prints the types of boxes by their names.
func Args(format string, args []any) (string, []any) {
	if !strings.Contains(format, "T") {
		return format, args
	}
	verbs, ok := directives(format)
	if !ok {
		return format, args
	}
	names := args
	var b strings.Builder
	start := 0
	// A name is a new argument, which the directive names. All others name theirs as well, if one of the source does.
	indexed := slices.ContainsFunc(verbs, func(d directive) bool { return d.indexed })
	for _, d := range verbs {
		if d.arg >= len(args) || d.arg < 0 {
			return format, args
		}
		b.WriteString(format[start:d.flags])
		index, verb := d.arg, format[d.verb]
		if v, ok := open(args[d.arg]).(boxed); ok && verb == 'T' {
			verb = 's'
			name := v.content().T.name
			if indexed {
				index, names = len(names), append(slices.Clip(names), any(name))
			} else {
				names = slices.Clone(names)
				names[index] = name
			}
		}
		if indexed {
			fmt.Fprintf(&b, "[%d]", index+1)
		}
		b.WriteByte(verb)
		start = d.verb + 1
	}
	return b.String() + format[start:], names
}

// directive is a verb of a format: where its flags end, the place of the verb, and the number of the argument. indexed reports
// whether the format names the argument.
type directive struct {
	flags, verb, arg int
	indexed          bool
}

// directives returns the verbs of a format. It returns false for a format that is rare and not worth the effort.
func directives(format string) ([]directive, bool) {
	var out []directive
	arg := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		for i++; i < len(format) && strings.IndexByte("+-# 0123456789.*", format[i]) >= 0; i++ {
			if format[i] == '*' {
				arg++
			}
		}
		d := directive{flags: i}
		if i < len(format) && format[i] == '[' {
			n, rest, ok := strings.Cut(format[i+1:], "]")
			number, err := strconv.Atoi(n)
			if !ok || err != nil || rest == "" || strings.IndexByte("*.", rest[0]) >= 0 || strings.Contains(format, "*") {
				return nil, false
			}
			i += len(n) + 2
			arg, d.indexed = number-1, true
		}
		if i >= len(format) || format[i] >= utf8.RuneSelf {
			return nil, false
		}
		if format[i] == '%' {
			continue
		}
		d.verb, d.arg = i, arg
		out = append(out, d)
		arg++
	}
	return out, true
}
