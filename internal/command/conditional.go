package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Conditional is what stands behind /assert and /until.
type Conditional struct {
	// Condition is in the language of conditions, without a leading not: that is Not.
	Condition string
	Not       bool
	// Max is how often the actions are repeated; 0 is no limit.
	Max     int
	Actions []string
}

// String is the condition as it was written.
func (c Conditional) String() string {
	if c.Not {
		return "not " + c.Condition
	}
	return c.Condition
}

// ParseConditional reads [--max N] [not] CONDITION "ACTION"... . A condition of several terms is quoted as a whole, and an
// action of several words too. Within double quotes a backslash stands before a quote or another backslash.
func ParseConditional(args string, repeats bool) (Conditional, error) {
	words, err := words(args)
	if err != nil {
		return Conditional{}, err
	}
	var c Conditional
	if repeats && len(words) > 0 && words[0].raw == "--max" {
		if len(words) == 1 {
			return c, errors.New("--max wants a number")
		}
		if c.Max, err = strconv.Atoi(words[1].text); err != nil || c.Max < 1 {
			return c, fmt.Errorf("--max %s: expected a number from 1 on", words[1].text)
		}
		words = words[2:]
	}
	if len(words) > 0 && words[0].raw == "not" {
		c.Not, words = true, words[1:]
	}
	if len(words) == 0 {
		return c, errors.New(`there is no condition; write [not] CONDITION and then "ACTION"`)
	}
	// Quotes within a word belong to the language of conditions; those around it do not.
	c.Condition = words[0].raw
	if words[0].quoted {
		c.Condition = words[0].text
	}
	for _, w := range words[1:] {
		if strings.TrimSpace(w.text) == "" {
			return c, errors.New("there is an empty action")
		}
		c.Actions = append(c.Actions, w.text)
	}
	if len(c.Actions) == 0 {
		return c, fmt.Errorf(`there is no action behind the condition %q; write one in quotes (and quote a condition of several terms)`, c.Condition)
	}
	return c, nil
}

// word is a part of a line between blanks that are not in quotes.
type word struct {
	// raw is as it was typed, text without its quotes. quoted says that the quotes are around all of it.
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

// nextWord reads the word at the beginning of a line and says how many bytes it has.
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

// inQuotes reads what stands between the quote that the text begins with and the next one like it.
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
