package box

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Sprintf is fmt.Sprintf.
func (s *Space) Sprintf(format string, args ...any) string {
	format, args = Args(format, args)
	return fmt.Sprintf(format, args...)
}

// Args returns a format and the arguments so that package fmt prints boxes by verbs for which it does not ask them.
func Args(format string, args []any) (string, []any) {
	if !slices.ContainsFunc(args, Is) {
		return format, args
	}
	verbs, ok := directives(format)
	if !ok {
		return format, args
	}
	used := args
	var b strings.Builder
	start, next := 0, 0
	// A name is a new argument, which the directive names. All others name theirs as well, if one of the source does.
	indexed := slices.ContainsFunc(verbs, func(d directive) bool { return d.indexed })
	for _, d := range verbs {
		for _, w := range d.widths {
			if w.arg < len(args) && Is(args[w.arg]) {
				used = slices.Clone(used)
				used[w.arg] = Plain(args[w.arg])
			}
		}
		switch next = min(d.arg+1, len(args)); {
		case d.arg >= 0 && d.arg < len(args):
		case indexed:
			return format, args
		default: // An argument is missing, which package fmt says.
			continue
		}
		if indexed {
			start = d.writeWidths(&b, format, start)
		}
		b.WriteString(format[start:d.flags])
		index, verb := d.arg, format[d.verb]
		if v, ok := open(args[d.arg]).(boxed); ok {
			var arg any
			arg, verb = operand(v, verb)
			if indexed {
				index, used = len(used), append(slices.Clip(used), arg)
			} else {
				used = slices.Clone(used)
				used[index] = arg
			}
		}
		if indexed {
			fmt.Fprintf(&b, "[%d]", index+1)
		}
		b.WriteByte(verb)
		start = d.verb + 1
	}
	b.WriteString(format[start:])
	if !indexed && slices.ContainsFunc(args[next:], Is) {
		b.WriteString("%s")
		used = append(slices.Clip(used[:next]), extra(args[next:]))
	}
	return b.String(), used
}

// operand returns what package fmt must get for a box, and the verb for it.
func operand(b boxed, verb byte) (any, byte) {
	c := b.content()
	switch verb {
	case 'T':
		return c.T.name, 's'
	case 'p':
		switch reflect.ValueOf(c.V).Kind() {
		case reflect.Chan, reflect.Func, reflect.Map, reflect.Pointer, reflect.Slice, reflect.UnsafePointer:
			return c.V, verb
		default:
			return misused{c, 'p'}, 'v'
		}
	case 'w':
		if _, ok := b.(error); !ok {
			return misused{c, 'w'}, 'v'
		}
	}
	return b, verb
}

// extra returns what package fmt prints of arguments without verbs.
func extra(args []any) string {
	var texts []string
	for _, a := range args {
		if a == nil {
			texts = append(texts, "<nil>")
			continue
		}
		texts = append(texts, nameOf(open(a))+"="+fmt.Sprintf("%v", a))
	}
	return "%!(EXTRA " + strings.Join(texts, ", ") + ")"
}

// misused is a value with a verb that does not fit it, and for which package fmt does not ask the value.
type misused struct {
	v    Value
	verb rune
}

// Format prints the value as package fmt prints one with a wrong verb.
func (m misused) Format(state fmt.State, _ rune) {
	printer{state, m.verb}.bad(m.v.T.name, m.v.T, reflect.ValueOf(m.v.V))
}

// unprintable reports whether package fmt prints no values of a kind by a verb.
func unprintable(verb rune, k reflect.Kind) bool {
	verbs := ""
	switch k {
	case reflect.Bool:
		verbs = "tv"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		verbs = "vbdoOxXcqU"
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		verbs = "vbgGxXfFeE"
	case reflect.String:
		verbs = "vsxXq"
	case reflect.Pointer, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		verbs = "vpbodxX"
	default:
		return false
	}
	return !strings.ContainsRune(verbs, verb)
}

// bad prints a value with a verb that does not fit it. Methods are not called.
func (p printer) bad(name string, t *Type, v reflect.Value) {
	p.text("%!" + string(p.verb) + "(" + name + "=")
	printer{p.State, 'v'}.print(t, v, 0, false)
	p.text(")")
}

// panicked prints the panic of a method.
func (p printer) panicked(method string, v reflect.Value, reason any) {
	if v.Kind() == reflect.Pointer && v.IsNil() {
		p.text("<nil>")
		return
	}
	p.text("%!" + string(p.verb) + "(PANIC=" + method + " method: ")
	_, _ = fmt.Fprint(p.State, reason)
	p.text(")")
}

// address prints a pointer that is not followed.
func (p printer) address(t *Type, v reflect.Value) {
	name := v.Type().String()
	if t != nil {
		name = t.name
	}
	switch {
	case p.sharp() && v.IsNil():
		p.text("(" + name + ")(nil)")
	case p.sharp():
		p.text(fmt.Sprintf("(%s)(%#x)", name, v.Pointer()))
	case unprintable(p.verb, v.Kind()):
		p.bad(name, t, v)
	default:
		p.plain(v.UnsafePointer())
	}
}

// directive is a verb of a format: where its flags end, the place of the verb, and the numbers of the argument and of those for its
// width and precision. indexed reports whether the format names an argument.
type directive struct {
	flags, verb, arg int
	widths           []width
	indexed          bool
}

// writeWidths writes the widths and precisions of a directive with the numbers of their arguments. The format is written from start on. It returns what
// follows.
func (d directive) writeWidths(b *strings.Builder, format string, start int) int {
	for _, w := range d.widths {
		fmt.Fprintf(b, "%s[%d]*", format[start:w.from], w.arg+1)
		start = w.to
	}
	return start
}

// width is a width or precision that is an argument: its place in the format, and the number of the argument.
type width struct{ from, to, arg int }

// directives returns the verbs of a format. It returns false for a format that is rare and not worth the effort.
func directives(format string) ([]directive, bool) {
	var out []directive
	arg := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		d := directive{}
		for i++; ; i++ {
			i = len(format) - len(strings.TrimLeft(format[i:], "+-# 0123456789."))
			d.flags = i
			if i < len(format) && format[i] == '[' {
				number, length := argumentNumber(format[i:])
				if number < 1 {
					return nil, false
				}
				i += length
				arg, d.indexed = number-1, true
			}
			if i >= len(format) || format[i] != '*' {
				break
			}
			d.widths = append(d.widths, width{d.flags, i + 1, arg})
			arg++
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

// argumentNumber returns the number in brackets at the beginning of a format, and its length with them. The number is 0 if there is none.
func argumentNumber(format string) (number, length int) {
	text, _, ok := strings.Cut(format[1:], "]")
	number, err := strconv.Atoi(text)
	if !ok || err != nil {
		return 0, 0
	}
	return number, len(text) + 2
}
