package limit

import (
	"encoding/json"
	"slices"

	"github.com/idelchi/aura/sdk"
)

// The lengths to which an entry is shortened, in bytes: shortText for each text of a shortened entry, bareText and bareArgs for
// a further reduced one.
const (
	shortText = 512
	bareText  = 32
	bareArgs  = 96
)

// argsCost is the overhead of a map of arguments, in bytes.
const argsCost = 400

// CallSize returns the bytes of a tool history entry that count against History. An entry that cannot be reduced further counts
// as 0.
func CallSize(c sdk.ToolCall) int {
	if len(c.Args) == 0 && len(c.Result) <= bareText+markSize && len(c.Error) <= bareText+markSize && len(c.ArgsJSON) <= bareArgs+markSize {
		return 0
	}
	return argsCost + 2*len(c.ArgsJSON) + len(c.Result) + len(c.Error)
}

// TrimCalls returns a tool history whose old entries take at most size bytes, and the number of bytes that they take. The
// newest entry is never shortened. Of the others, the newer ones are kept whole, the older ones are shortened, and the oldest
// are reduced to the beginnings of their texts. TrimCalls does not modify list.
func TrimCalls(list []sdk.ToolCall, size int) (trimmed []sdk.ToolCall, taken int) {
	list = tail(list)
	// The extra capacity lets the next calls append without copying the list.
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

// tail returns the newest part of a list that has too many entries. It keeps three quarters of the limit, so that the list is
// not cut at every new entry.
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
