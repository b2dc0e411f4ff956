package limit

import "github.com/idelchi/aura/sdk"

// TurnSize returns the bytes of a turn that count against Turns. A turn that cannot be reduced further counts as 0.
func TurnSize(t sdk.Turn) int {
	if len(t.Content) <= bareText+markSize {
		return 0
	}
	return len(t.Content)
}

// TrimTurns is like TrimCalls, for turns.
func TrimTurns(list []sdk.Turn, size int) (trimmed []sdk.Turn, taken int) {
	list = tail(list)
	out := append(make([]sdk.Turn, 0, len(list)+len(list)/4+1), list...)
	for i := len(out) - 2; i >= 0; i-- {
		t := &out[i]
		if taken+TurnSize(*t) > size/2 {
			t.Content = Shorten(t.Content, shortText)
		}
		if taken+TurnSize(*t) > size {
			t.Content = Shorten(t.Content, bareText)
		}
		taken += TurnSize(*t)
	}
	return out, taken
}
