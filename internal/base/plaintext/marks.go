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

// blank holds the invisible characters that are not Unicode format characters: those that Unicode calls default ignorable, such as
// fillers, tags and variation selectors, and line separators that terminals do not support. Sequences of variation selectors have
// been used to hide texts.
var blank = []*unicode.RangeTable{
	unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Zl, unicode.Zp,
	{R32: []unicode.Range32{{Lo: 0xe0000, Hi: 0xe0fff, Stride: 1}}},
}

// hides reports whether a character is invisible or changes the order of others. The two joiners and some selectors are part of the
// spelling of some scripts and of emoji, and are not hidden there.
func hides(r, before rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == joiner, r == nonJoiner:
		return !joins(before)
	case r == emojiStyle:
		return !isEmoji(before)
	case unicode.Is(unicode.Mongolian, r) && unicode.Is(unicode.Variation_Selector, r):
		return !unicode.Is(unicode.L, before) || !unicode.Is(unicode.Mongolian, before)
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	default:
		return unicode.Is(unicode.Cf, r) || unicode.In(r, blank...)
	}
}

// isEmoji reports whether a character may have a coloured form. Digits and two signs have one on a keycap.
func isEmoji(r rune) bool {
	switch r {
	case '#', '*', '\u203C', '\u2049', '\u3030':
		return true
	}
	return r >= '0' && r <= '9' || r >= 0xa9 && unicode.In(r, unicode.So, unicode.Sk, unicode.Sm)
}

// joins reports whether a joiner is meaningful after r.
func joins(r rune) bool {
	if r == emojiStyle || unicode.In(r, unicode.So, unicode.Sk) {
		return true
	}
	return unicode.In(r, unicode.L, unicode.M) && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Common, unicode.Inherited)
}

func named(r rune) string { return fmt.Sprintf("<%U>", r) }
