package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// parse reads a command line. Both those who run it and those who only check it read it so.
func parse(line string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
}

// Check says why a command line cannot be run, without running it. Its error has line and column.
func Check(line string) error {
	_, err := parse(line)
	return err
}
