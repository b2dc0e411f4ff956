package tool

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
)

// Limits of the patterns of a schema. A short pattern such as "a{1000}" can compile to thousands of instructions, and all of
// them are tried at every byte of a text.
const (
	maxPatternBytes        = 4096
	maxPatternInstructions = 100_000
)

// pattern is a regular expression and its number of instructions.
type pattern struct {
	*regexp.Regexp

	instructions int
}

// work returns the maximum work of matching a text.
func (p *pattern) work(text string) int { return p.instructions * (len(text) + 1) }

// pattern compiles a regular expression. It enforces the limits for all patterns of the schema.
func (c *compiler) pattern(text string) (*pattern, error) {
	if len(text) > maxPatternBytes {
		return nil, fmt.Errorf("a pattern has more than %d bytes", maxPatternBytes)
	}
	errLarge := fmt.Errorf("all patterns together have more than %d instructions", maxPatternInstructions)
	if c.instructions > maxPatternInstructions {
		return nil, errLarge
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	if c.instructions += len(program.Inst); c.instructions > maxPatternInstructions {
		return nil, errLarge
	}
	compiled, err := regexp.Compile(text)
	return &pattern{compiled, len(program.Inst)}, err
}

// matching compiles the keyword pattern.
func (r *reader) matching(limit any) (fact, error) {
	text, ok := limit.(string)
	if !ok {
		return fact{}, errors.New("it is no text")
	}
	p, err := r.pattern(text)
	if err != nil {
		return fact{}, err
	}
	return fact{
		work: func(value any) int {
			got, _ := value.(string)
			return p.work(got)
		},
		holds: func(value any) (bool, int) {
			got, ok := value.(string)
			return !ok || p.MatchString(got), 0
		},
		words: func(value any) string { return fmt.Sprintf(": '%v' does not match pattern '%v'", value, limit) },
	}, nil
}
