package plaintext

import (
	"fmt"
	"unicode"
)

// isControl reports the characters of the sets C0 and C1 but newline and tab.
func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

const (
	nonJoiner = '\u200C'
	joiner    = '\u200D'
	// emojiStyle asks for the coloured form of the character before it.
	emojiStyle = '\uFE0F'
)

// blank are characters that show nothing and are not among the format characters of Unicode: fillers, separators of lines that
// terminals do not know, and selectors of variants that few fonts have. Texts have been hidden in the last ones.
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

// hides reports the characters that nobody sees, or that change the order of others. The two joiners are a part of the
// spelling of some scripts, and of emoji, so that they stand there as they are.
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

// joins reports the characters after which a joiner has a meaning.
func joins(r rune) bool {
	if r == emojiStyle || unicode.In(r, unicode.So, unicode.Sk) {
		return true
	}
	return unicode.In(r, unicode.L, unicode.M) && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Common, unicode.Inherited)
}

func named(r rune) string { return fmt.Sprintf("<%U>", r) }
