package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/nearest"
)

// UnknownError says that no command has the name.
type UnknownError struct {
	Name string
	// Near lists the names that the user may have meant, the likeliest first.
	Near []string
}

func (e *UnknownError) Error() string {
	if len(e.Near) == 0 {
		return fmt.Sprintf("unknown command /%s; /help lists the commands", e.Name)
	}
	return fmt.Sprintf("unknown command /%s; did you mean /%s? /help lists the commands", e.Name, strings.Join(e.Near, " or /"))
}

// near returns the names that the user may have meant.
func (s *Set) near(name string) []string {
	return nearest.Names(name, slices.Collect(maps.Keys(s.byName)))
}
