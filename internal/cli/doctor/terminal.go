package doctor

import (
	"context"
	"fmt"
	"strings"
)

// Terminal describes the standard streams and the terminal, as the command line sees them.
type Terminal struct {
	// In, Out and Err report which of the standard streams are terminals.
	In, Out, Err bool
	// Columns is the width of the terminal, or 0 if it is unknown.
	Columns int
	// Name is $TERM. Plain reports whether colors are turned off.
	Name  string
	Plain bool
}

// terminal reports how answers are shown and whether questions can be asked. It never reports a problem.
func (p patient) terminal(context.Context) []Check {
	t := p.Terminal
	c := Check{Area: "terminal", Name: "terminal", Status: OK}
	var streams []string
	for _, s := range []struct {
		name string
		is   bool
	}{{"standard input", t.In}, {"standard output", t.Out}, {"standard error", t.Err}} {
		if s.is {
			streams = append(streams, s.name)
		}
	}
	if len(streams) == 0 {
		c.Detail = "none: a call that needs an approval is denied"
		return []Check{c}
	}
	c.Detail = strings.Join(streams, ", ")
	if t.Name != "" {
		c.Detail += ", TERM=" + t.Name
	}
	if t.Columns > 0 {
		c.Detail += fmt.Sprintf(", %d columns", t.Columns)
	}
	if t.Plain {
		c.Detail += ", colors off"
	}
	return []Check{c}
}
