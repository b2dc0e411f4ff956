package limit

import "github.com/idelchi/aura/sdk"

// TurnSize is what a turn counts against Turns. One that cannot be reduced further counts nothing.
func TurnSize(t sdk.Turn) int {
	if len(t.Content) <= bareText+markSize {
		return 0
	}
	return len(t.Content)
}

// TrimTurns does with turns what TrimCalls does with tool calls.
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
