package prompt

import (
	"maps"
	"slices"
)

// FunctionNames are those that a template can call beside the library's own.
func FunctionNames() []string { return slices.Sorted(maps.Keys(functions())) }

// Split is for the tests of how arguments are cut.
var Split = split
