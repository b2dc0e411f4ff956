package terminal

import (
	"cmp"
	"strings"
)

const (
	// usualWidth is the assumed width of a terminal that does not report its width, in columns.
	usualWidth = 80
	// narrowest is the smallest width for which text is laid out. A narrower terminal breaks the lines itself.
	narrowest = 20
	// widest is the largest width for which text is laid out. Longer lines are hard to read.
	widest = 100
)

// Look describes what an output can show. The zero value is plain text.
type Look struct {
	// Styled allows attributes such as bold, and therefore a layout. Markdown is rendered only if Styled is set.
	Styled bool
	// Colour allows colours. It implies Styled.
	Colour bool
	// Light is set if the background of the terminal is light.
	Light bool
	// Live allows a line that is redrawn repeatedly.
	Live bool
	// Width returns the current number of columns of the terminal, or 0 if it is unknown. A nil Width also means that it is
	// unknown.
	Width func() int
}

// NewLook decides what can be shown on an output. environ is the environment of the process. A terminal shows plain text if TERM
// is empty or dumb. NO_COLOR, CLICOLOR=0 and FORCE_COLOR=0 turn colours off. CLICOLOR_FORCE and FORCE_COLOR turn colours on, even
// if the output is not a terminal. NO_COLOR takes precedence over both.
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

// columns returns the width of the terminal.
func (l Look) columns() int {
	if l.Width == nil {
		return usualWidth
	}
	return cmp.Or(max(l.Width(), 0), usualWidth)
}

// measure returns the width for running text.
func (l Look) measure() int { return min(max(l.columns(), narrowest), widest) }
