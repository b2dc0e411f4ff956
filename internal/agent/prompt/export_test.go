package prompt

import (
	"maps"
	"slices"
)

// FunctionNames returns the functions that a template can call in addition to the library's own.
func FunctionNames() []string { return slices.Sorted(maps.Keys(functions())) }

// Split exports split for tests.
var Split = split
