package terminal

import (
	"cmp"
	"strings"
)

const (
	// usualWidth is the width of a terminal that does not say how wide it is, in columns.
	usualWidth = 80
	// narrowest is the least width that text is laid out for. A terminal that is narrower breaks the lines itself.
	narrowest = 20
	// widest is how wide text is laid out at most: longer lines are hard to read.
	widest = 100
)

// Look is what can be shown on one output. The zero value is plain text.
type Look struct {
	// Styled allows bold and the like, and so a layout: Markdown is rendered only there.
	Styled bool
	// Colour allows colours. It implies Styled.
	Colour bool
	// Live allows a line that is drawn again and again.
	Live bool
	// Width returns the columns of the terminal at this moment, 0 if they are not known. Nil means that as well.
	Width func() int
}

// NewLook decides what can be shown on an output. The environment is that of the process. A terminal without a name (TERM), or with
// the name dumb, shows plain text. NO_COLOR, CLICOLOR=0 and FORCE_COLOR=0 turn colours off; CLICOLOR_FORCE and FORCE_COLOR turn them on,
// also where there is no terminal. NO_COLOR counts more than they do.
func NewLook(isTerminal bool, environ []string, width func() int) Look {
	env := map[string]string{}
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			env[name] = value
		}
	}
	capable := isTerminal && (env["TERM"] != "" && env["TERM"] != "dumb" || env["WT_SESSION"] != "")
	forced := isOn(env["CLICOLOR_FORCE"]) || isOn(env["FORCE_COLOR"])
	off := env["NO_COLOR"] != "" || isOff(env["FORCE_COLOR"]) || env["CLICOLOR"] == "0" && !forced
	return Look{
		Styled: capable || forced && !off,
		Colour: (capable || forced) && !off,
		Live:   capable,
		Width:  width,
	}
}

func isOff(value string) bool { return value == "0" || strings.EqualFold(value, "false") }

func isOn(value string) bool { return value != "" && !isOff(value) }

// columns is the width of the terminal.
func (l Look) columns() int {
	if l.Width == nil {
		return usualWidth
	}
	return cmp.Or(max(l.Width(), 0), usualWidth)
}

// measure is the width for running text.
func (l Look) measure() int { return min(max(l.columns(), narrowest), widest) }
