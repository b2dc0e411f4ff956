package limit

import (
	"encoding/json"
	"slices"

	"github.com/idelchi/aura/sdk"
)

// How much of an entry is left when it is shortened, in bytes for each of its texts, and when it is reduced further.
const (
	shortText = 512
	bareText  = 32
	bareArgs  = 96
)

// argsCost is what a map of arguments takes beside its texts, in bytes.
const argsCost = 400

// CallSize is what an entry of the tool history counts against History. One that cannot be reduced further counts nothing.
func CallSize(c sdk.ToolCall) int {
	if len(c.Args) == 0 && len(c.Result) <= bareText+markSize && len(c.Error) <= bareText+markSize && len(c.ArgsJSON) <= bareArgs+markSize {
		return 0
	}
	return argsCost + 2*len(c.ArgsJSON) + len(c.Result) + len(c.Error)
}

// TrimCalls returns a tool history whose old entries take at most size bytes, and how many they take. The newest entry stays whole.
// Of the others, the newer ones stay whole, those before are shortened, and of the oldest only the beginnings of their texts
// are left. The list that it is given is not changed.
func TrimCalls(list []sdk.ToolCall, size int) (trimmed []sdk.ToolCall, taken int) {
	list = tail(list)
	// Room at the end keeps the next calls from copying the list.
	out := append(make([]sdk.ToolCall, 0, len(list)+len(list)/4+1), list...)
	for i := len(out) - 2; i >= 0; i-- {
		whole := CallSize(out[i])
		if taken+whole > size/2 {
			out[i] = shortCall(out[i])
			whole = CallSize(out[i])
		}
		if taken+whole > size {
			out[i] = bareCall(out[i])
			whole = CallSize(out[i])
		}
		taken += whole
	}
	return out, taken
}

// tail is the newest part of a list that has too many entries. It is less than the limit by a quarter, so that a list is not
// cut at every new entry.
func tail[T any](list []T) []T {
	if len(list) <= Entries {
		return list
	}
	return list[len(list)-Entries*3/4:]
}

func shortCall(c sdk.ToolCall) sdk.ToolCall {
	c.Result, c.Error = Shorten(c.Result, shortText), Shorten(c.Error, shortText)
	if len(c.ArgsJSON) <= shortText {
		return c
	}
	args, ok := shortValue(c.Args).(map[string]any)
	raw, err := json.Marshal(args)
	if !ok || err != nil || len(raw) > 4*shortText {
		c.Args, c.ArgsJSON = map[string]any{}, Shorten(c.ArgsJSON, shortText)
		return c
	}
	c.Args, c.ArgsJSON = args, string(raw)
	return c
}

func bareCall(c sdk.ToolCall) sdk.ToolCall {
	c.Args, c.ArgsJSON = nil, Shorten(c.ArgsJSON, bareArgs)
	c.Result, c.Error = Shorten(c.Result, bareText), Shorten(c.Error, bareText)
	return c
}

// shortValue copies a value of arguments with its texts shortened.
func shortValue(v any) any {
	switch v := v.(type) {
	case string:
		return Shorten(v, shortText/2)
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, each := range v {
			out[Shorten(key, shortText/2)] = shortValue(each)
		}
		return out
	case []any:
		out := slices.Clone(v)
		for i, each := range out {
			out[i] = shortValue(each)
		}
		return out
	default:
		return v
	}
}
