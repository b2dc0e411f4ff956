package plaintext

import (
	"fmt"
	"unicode"
)

// isControl reports whether r is in the sets C0 or C1, except newline and tab.
func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

const (
	nonJoiner = '\u200C'
	joiner    = '\u200D'
	// emojiStyle requests the coloured form of the preceding character.
	emojiStyle = '\uFE0F'
)

// blank holds invisible characters that are not Unicode format characters: fillers, line separators that terminals do not
// support, and variation selectors that few fonts have. The variation selectors have been used to hide texts.
var blank = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034f, Hi: 0x034f, Stride: 1},
		{Lo: 0x115f, Hi: 0x1160, Stride: 1},
		{Lo: 0x2028, Hi: 0x2029, Stride: 1},
		{Lo: 0x3164, Hi: 0x3164, Stride: 1},
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0xe0000, Hi: 0xe0fff, Stride: 1}},
}

// hides reports whether a character is invisible or changes the order of others. The two joiners are part of the spelling of
// some scripts and of emoji, and are not hidden there.
func hides(r, before rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == joiner, r == nonJoiner:
		return !joins(before)
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	default:
		return unicode.Is(unicode.Cf, r) || unicode.Is(blank, r)
	}
}

// joins reports whether a joiner is meaningful after r.
func joins(r rune) bool {
	if r == emojiStyle || unicode.In(r, unicode.So, unicode.Sk) {
		return true
	}
	return unicode.In(r, unicode.L, unicode.M) && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Common, unicode.Inherited)
}

func named(r rune) string { return fmt.Sprintf("<%U>", r) }
