package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Conditional holds the parsed arguments of /assert and /until.
type Conditional struct {
	// Condition is written in the language of conditions. It has no leading "not"; Not holds the negation.
	Condition string
	Not       bool
	// Max is how often the actions are repeated; 0 means no limit.
	Max     int
	Actions []string
}

// String returns the condition as the user wrote it.
func (c Conditional) String() string {
	if c.Not {
		return "not " + c.Condition
	}
	return c.Condition
}

// ParseConditional parses [--max N] [not] CONDITION "ACTION"... . It accepts --max only if repeats is set. A condition of
// several terms is quoted as a whole. Every action is quoted too, except a command of one word. Within double quotes, a
// backslash escapes a quote or another backslash.
func ParseConditional(args string, repeats bool) (Conditional, error) {
	words, err := words(args)
	if err != nil {
		return Conditional{}, err
	}
	var c Conditional
	if repeats {
		if c.Max, words, err = takeMax(words); err != nil {
			return c, err
		}
	}
	if len(words) > 0 && words[0].raw == "not" {
		c.Not, words = true, words[1:]
	}
	if len(words) == 0 || strings.TrimSpace(words[0].text) == "" {
		return c, errors.New(`there is no condition; write [not] CONDITION and then "ACTION"`)
	}
	// Quotes inside a word belong to the language of conditions. Quotes around a word do not.
	c.Condition = words[0].raw
	if words[0].quoted {
		c.Condition = words[0].text
	}
	c.Actions, err = actions(words[1:])
	if err == nil && len(c.Actions) == 0 {
		err = fmt.Errorf(`there is no action behind the condition %q; write one in quotes (and quote a condition of several terms)`, c.Condition)
	}
	return c, err
}

// takeMax parses a leading --max N and returns N and the remaining words.
func takeMax(of []word) (int, []word, error) {
	const flag = "--max"
	if len(of) == 0 {
		return 0, of, nil
	}
	number, joined := strings.CutPrefix(of[0].raw, flag+"=")
	switch {
	case joined:
		of = of[1:]
	case of[0].raw != flag:
		return 0, of, nil
	case len(of) == 1:
		return 0, of, errors.New("--max wants a number")
	default:
		number, of = of[1].text, of[2:]
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return 0, of, fmt.Errorf("--max %s: expected a number from 1 on", number)
	}
	return n, of, nil
}

// actions returns the texts of the actions. It refuses words without quotes, because each would be sent as a prompt: such words
// belong to a condition or an action that the user forgot to quote.
func actions(of []word) ([]string, error) {
	var out []string
	for _, w := range of {
		switch {
		case strings.TrimSpace(w.text) == "":
			return nil, errors.New("there is an empty action")
		case !w.quoted && !strings.HasPrefix(w.raw, "/"):
			return nil, fmt.Errorf("%s is not in quotes; write every action in quotes, and a condition of several terms too", w.raw)
		}
		out = append(out, w.text)
	}
	return out, nil
}

// word is a part of a line, delimited by blanks outside quotes.
type word struct {
	// raw is the word as the user typed it, text is the word without its quotes. quoted reports whether the quotes enclose the
	// whole word.
	raw, text string
	quoted    bool
}

func words(line string) ([]word, error) {
	var out []word
	rest := strings.TrimLeftFunc(line, unicode.IsSpace)
	for rest != "" {
		w, size, err := nextWord(rest)
		if err != nil {
			return nil, err
		}
		out = append(out, w)
		rest = strings.TrimLeftFunc(rest[size:], unicode.IsSpace)
	}
	return out, nil
}

// nextWord parses the word at the beginning of a line and returns its size in bytes.
func nextWord(line string) (word, int, error) {
	var text strings.Builder
	i := 0
	for i < len(line) && !isBlank(line[i]) {
		if quote := line[i]; quote == '"' || quote == '\'' {
			inner, size, err := inQuotes(line[i:])
			if err != nil {
				return word{}, 0, err
			}
			text.WriteString(inner)
			if i == 0 && (size == len(line) || isBlank(line[size])) {
				return word{raw: line[:size], text: inner, quoted: true}, size, nil
			}
			i += size
			continue
		}
		text.WriteByte(line[i])
		i++
	}
	return word{raw: line[:i], text: text.String()}, i, nil
}

func isBlank(b byte) bool {
	return b == ' ' || b == '\t' || b == '\n' || b == '\r' || b == '\v' || b == '\f'
}

// inQuotes returns the text between the quote at the beginning of text and the next quote of the same kind.
func inQuotes(text string) (inner string, size int, err error) {
	quote := text[0]
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote:
			return b.String(), i + 1, nil
		case c == '\\' && quote == '"' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, fmt.Errorf("the quote in %s is not closed", text)
}
