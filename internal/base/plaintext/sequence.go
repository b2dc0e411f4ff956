package plaintext

// state is the parser state within a control sequence. The grammar is ECMA-48, as terminals implement it.
type state int

const (
	// ground is outside any sequence.
	ground state = iota
	// pass is ground, for a character that is not part of a sequence.
	pass
	// escape is after ESC; between is among its intermediate characters.
	escape
	between
	// control is between CSI and its final character.
	control
	// text is the content of a string that a terminal does not display: OSC, DCS, SOS, PM or APC.
	text
	// ending is after ESC in such a string.
	ending
)

// The characters that introduce or end sequences.
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

// next returns the state after a character. A newline ends every sequence, because no sequence contains one. Otherwise an
// unterminated sequence would hide all following text.
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
		// Only a backslash ends the string properly. Any other character after ESC starts another sequence.
		if r == '\\' {
			return ground
		}
		return afterEscape(r)
	default:
		return pass
	}
}

// introduced returns the state after a C1 character, or ground if the character introduces no sequence.
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

// afterEscape returns the state after ESC and one more character.
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

// within continues a sequence until its final character, which is at least last. A character that is not allowed in the
// sequence ends it.
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
