package condition

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

var (
	whole   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+$`) })
	decimal = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)$`) })
	// separator matches the word and. It also matches at the end of the text, where it means a missing term and is not part of
	// an argument.
	separator = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s+and(?:\s+|$)`) })
	negation  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^not(?:\s+|$)`) })
)

// Parse parses an expression. A blank expression is the zero Expr. An error names the invalid term and the known ones.
func Parse(s string) (Expr, error) {
	rest := strings.TrimSpace(s)
	if rest == "" {
		return Expr{}, nil
	}

	e := Expr{source: s}

	for {
		source, next, more, err := cut(rest)
		if err != nil {
			return Expr{}, fmt.Errorf("parsing condition %q: %w", s, err)
		}

		t, err := parseTerm(source)
		if err != nil {
			return Expr{}, fmt.Errorf("parsing condition %q: %w", s, err)
		}

		e.terms = append(e.terms, t)

		if !more {
			return e, nil
		}

		rest = next
	}
}

// cut splits the first term off s. more is set if the word and follows the term.
func cut(s string) (first, rest string, more bool, err error) {
	body := s
	if m := negation().FindString(s); m != "" {
		body = s[len(m):]
	}

	skip := len(s) - len(body)
	shell := strings.HasPrefix(body, "bash:")

	// A separator at the very start means that a term is missing, as in "and auto".
	if separator().MatchString(" " + s) {
		return "", "", false, fmt.Errorf("a term is missing before %q", "and")
	}

	var quote rune

	escaped := false

	for i, r := range body {
		switch {
		case escaped:
			escaped = false
		case quote != 0:
			escaped = shell && quote == '"' && r == '\\'

			if r == quote {
				quote = 0
			}
		case shell && r == '\\':
			escaped = true
		case (r == '"' || r == '\'') && (shell || opensArgument(body[:i])):
			quote = r
		case unicode.IsSpace(r):
			if m := separator().FindString(body[i:]); m != "" {
				end := skip + i

				return s[:end], s[end+len(m):], true, nil
			}
		}
	}

	if quote != 0 {
		return "", "", false, fmt.Errorf("term %q: the quote %c is not closed", s, quote)
	}

	return s, "", false, nil
}

// opensArgument reports whether the text before a quote is only a word and its colon. Elsewhere a quote is an ordinary
// character, as in exists:it's.txt.
func opensArgument(before string) bool {
	name, arg, found := strings.Cut(before, ":")

	return found && !strings.ContainsFunc(name, unicode.IsSpace) && strings.TrimSpace(arg) == ""
}

func parseTerm(source string) (term, error) {
	source = strings.TrimSpace(source)
	body := source

	m := negation().FindString(source)
	if m != "" {
		body = source[len(m):]
	}

	if body == "" && m != "" {
		return term{}, fmt.Errorf("%q needs a term after it", "not")
	}

	if body == "" {
		return term{}, fmt.Errorf("a term is missing after %q", "and")
	}

	if negation().MatchString(body) {
		return term{}, fmt.Errorf("term %q: %q stands at most once before a term", source, "not")
	}

	name, arg, colon := strings.Cut(body, ":")

	word, ok := vocabulary[name]
	if !ok {
		return term{}, unknownTerm(body, name)
	}

	t := term{name: name, negated: m != ""}
	if err := t.setArgument(word, strings.TrimSpace(arg), colon); err != nil {
		return term{}, fmt.Errorf("term %q: %w", body, err)
	}

	return t, nil
}

func unknownTerm(body, name string) error {
	hint := ""
	if strings.ContainsFunc(name, unicode.IsSpace) {
		hint = ` (terms are joined with "and")`
	}

	return fmt.Errorf("unknown term %q%s; known terms: %s", body, hint, strings.Join(Names(), ", "))
}

func (t *term) setArgument(word entry, arg string, colon bool) error {
	if word.argument == noArgument {
		if colon {
			return fmt.Errorf("%s takes no argument", t.name)
		}

		return nil
	}

	if arg == "" {
		return fmt.Errorf("an argument is missing: %s:%s", t.name, word.usage)
	}

	var err error

	switch word.argument {
	case wholeNumber:
		t.number, err = number(arg, whole(), "a whole number such as 5")
	case decimalNumber:
		t.number, err = number(arg, decimal(), "a number such as 70 or 0.5")
	case capability:
		t.text = arg
		if !slices.Contains(capabilities, arg) {
			err = fmt.Errorf("unknown capability %q; known capabilities: %s", arg, strings.Join(capabilities, ", "))
		}
	default:
		t.text, err = unquote(arg, word.argument == commandLine)
	}

	return err
}

func number(arg string, shape *regexp.Regexp, want string) (float64, error) {
	if !shape.MatchString(arg) {
		return 0, fmt.Errorf("%q is not %s", arg, want)
	}

	n, err := strconv.ParseFloat(arg, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is too large", arg)
	}

	return n, nil
}

// unquote removes one pair of quotes around the whole argument. The text inside is not changed, except that \" in a
// double-quoted command becomes a quote. A command may also only begin with a quoted word; then nothing is removed.
func unquote(arg string, shell bool) (string, error) {
	quote := arg[0]
	if quote != '"' && quote != '\'' {
		return arg, nil
	}

	var b strings.Builder

	for i := 1; i < len(arg); i++ {
		switch {
		case shell && quote == '"' && arg[i] == '\\' && i+1 < len(arg):
			if i++; arg[i] != '"' {
				b.WriteByte('\\')
			}

			b.WriteByte(arg[i])
		case arg[i] != quote:
			b.WriteByte(arg[i])
		case i == len(arg)-1:
			return nonBlank(b.String())
		case shell:
			return arg, nil
		default:
			return "", fmt.Errorf("%q follows the closing quote", arg[i+1:])
		}
	}

	return "", fmt.Errorf("the quote %c is not closed", quote)
}

func nonBlank(s string) (string, error) {
	if strings.TrimSpace(s) == "" {
		return "", errors.New("the argument in quotes is empty")
	}

	return s, nil
}
