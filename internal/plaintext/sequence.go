package plaintext

// state is where in a control sequence the text is. The grammar is that of ECMA-48, as terminals understand it.
type state int

const (
	// ground is outside of any sequence.
	ground state = iota
	// pass is ground with a character that is no part of a sequence.
	pass
	// escape follows ESC, between its intermediate characters.
	escape
	between
	// control is between CSI and its last character.
	control
	// text is the content of a string that a terminal keeps to itself: OSC, DCS, SOS, PM or APC.
	text
	// ending follows ESC in such a string.
	ending
)

// The characters that sequences are made of.
const (
	bell   = '\a'
	cancel = 0x18
	subst  = 0x1a
	esc    = 0x1b
	dcs    = 0x90
	sos    = 0x98
	csi    = 0x9b
	st     = 0x9c
	osc    = 0x9d
	pm     = 0x9e
	apc    = 0x9f
)

// next is the state after a character. A sequence ends early at the end of a line, which no sequence contains: otherwise one
// that never ends would hide all that follows.
func (s state) next(r rune) state {
	switch r {
	case '\n':
		return pass
	case cancel, subst:
		return ground
	case esc:
		if s == text {
			return ending
		}
		return escape
	}
	if s != text && s != ending {
		if begun := introduced(r); begun != ground {
			return begun
		}
	}
	switch s {
	case escape:
		return afterEscape(r)
	case between:
		return within(r, s, 0x30)
	case control:
		return within(r, s, 0x40)
	case text:
		return inText(r)
	case ending:
		// Only a backslash ends the string properly. Anything else after ESC begins another sequence.
		if r == '\\' {
			return ground
		}
		return afterEscape(r)
	default:
		return pass
	}
}

// introduced is the state that a single character of the C1 set leads to; ground if it introduces nothing.
func introduced(r rune) state {
	switch r {
	case csi:
		return control
	case dcs, sos, osc, pm, apc:
		return text
	default:
		return ground
	}
}

// afterEscape is the state after ESC and one character more.
func afterEscape(r rune) state {
	switch {
	case r == '[':
		return control
	case r == ']', r == 'P', r == 'X', r == '^', r == '_':
		return text
	case r >= 0x20 && r <= 0x2f:
		return between
	case r >= 0x30 && r <= 0x7e:
		return ground
	default:
		return pass
	}
}

// within goes on with a sequence until its last character, which is last or above. A character that cannot stand in it ends it.
func within(r rune, s state, last rune) state {
	switch {
	case r >= last && r <= 0x7e:
		return ground
	case r >= 0x20 && r < last, r < 0x20, r == 0x7f:
		return s
	default:
		return pass
	}
}

func inText(r rune) state {
	if r == bell || r == st {
		return ground
	}
	return text
}
