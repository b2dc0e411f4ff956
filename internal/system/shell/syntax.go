package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// parse parses a command line. Run and Check use the same syntax.
func parse(line string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
}

// Check parses a command line without running it. Its error contains line and column.
func Check(line string) error {
	_, err := parse(line)
	return err
}
