package limit_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/sdk"
)

func TestShorten(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 1000)
	for name, tt := range map[string]struct {
		text string
		size int
		want string
	}{
		"empty":                 {"", 0, ""},
		"short":                 {"abc", 100, "abc"},
		"not worth a mark":      {long[:150], 100, long[:150]},
		"long":                  {long, 100, long[:100] + "… [900 bytes left out]"},
		"to nothing":            {long, 0, "… [1000 bytes left out]"},
		"again":                 {long[:100] + "… [900 bytes left out]", 10, long[:10] + "… [990 bytes left out]"},
		"not inside a rune":     {strings.Repeat("ä", 500), 101, strings.Repeat("ä", 50) + "… [900 bytes left out]"},
		"no text at all":        {strings.Repeat("\x80", 1000), 100, strings.Repeat("\x80", 96) + "… [904 bytes left out]"},
		"a mark that is text":   {"… [5 bytes left out]" + long, 100, "… [5 bytes left out]" + long[:78] + "… [922 bytes left out]"},
		"an endless number":     {long + "… [99999999999999999999 bytes left out]", 10, long[:10] + "… [1031 bytes left out]"},
		"marked, still fitting": {long[:100] + "… [900 bytes left out]", 110, long[:100] + "… [900 bytes left out]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := limit.Shorten(tt.text, tt.size); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a", 1<<10)
	if got := limit.Cut(text, 1<<10, "a notice"); got != text {
		t.Errorf("a text within the limit becomes %q", got)
	}
	got := limit.Cut(text+"b", 1<<10, "a notice")
	if want := "… [129 bytes left out; a notice has at most 1 KiB]"; !strings.HasSuffix(got, want) || len(got) > 1<<10 {
		t.Errorf("got %d bytes that end in %q, want %q", len(got), got[len(got)-60:], want)
	}
}

func FuzzShorten(f *testing.F) {
	f.Add("text", 3)
	f.Add(strings.Repeat("ä", 100)+"… [5 bytes left out]", 20)
	f.Fuzz(func(t *testing.T, text string, size int) {
		size = max(0, min(size, 1<<20))
		got := limit.Shorten(text, size)
		if len(got) > size+64 {
			t.Errorf("%d bytes are left of %d, at most %d are wanted", len(got), len(text), size)
		}
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q is cut inside a character", got)
		}
		if again := limit.Shorten(got, size); again != got {
			t.Errorf("shortened again it becomes %q, not %q", again, got)
		}
	})
}

func call(n, size int) sdk.ToolCall {
	path := fmt.Sprintf("file%d", n)
	return sdk.ToolCall{
		Name: "Read", Args: map[string]any{"path": path}, ArgsJSON: fmt.Sprintf(`{"path":%q}`, path), Result: strings.Repeat("r", size),
	}
}

func TestTrimCalls(t *testing.T) {
	t.Parallel()
	var list []sdk.ToolCall
	for n := range 1000 {
		list = append(list, call(n, 4000))
	}
	list = append(list, call(1000, 10<<20))
	before := fmt.Sprintf("%p %d", list, len(list[0].Result))
	got, size := limit.TrimCalls(list, 1<<20)
	if len(got) != len(list) {
		t.Fatalf("%d entries are left of %d", len(got), len(list))
	}
	if !reflect.DeepEqual(got[1000], list[1000]) || !reflect.DeepEqual(got[999], list[999]) {
		t.Error("the newest entries are not whole")
	}
	sum := 0
	for _, c := range got[:1000] {
		sum += limit.CallSize(c)
	}
	if sum != size || size > 1<<20 {
		t.Errorf("the old entries take %d bytes, reported as %d; the limit is %d", sum, size, 1<<20)
	}
	middle := got[600]
	if want := strings.Repeat("r", 512) + "… [3488 bytes left out]"; middle.Result != want || middle.Args["path"] != "file600" {
		t.Errorf("an entry of the middle is %+v", middle)
	}
	oldest := got[0]
	if oldest.Name != "Read" || oldest.ArgsJSON != `{"path":"file0"}` || oldest.Args != nil || !strings.HasSuffix(oldest.Result, "[3968 bytes left out]") {
		t.Errorf("the oldest entry is %+v", oldest)
	}
	if after := fmt.Sprintf("%p %d", list, len(list[0].Result)); after != before {
		t.Error("the list that was given has changed")
	}
	again, _ := limit.TrimCalls(got, 1<<20)
	if !reflect.DeepEqual(again, got) {
		t.Error("trimmed again, the list is another one")
	}
}

func TestTrimCallsArguments(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	many := map[string]any{}
	for n := range 500 {
		many[fmt.Sprint(n)] = "value"
	}
	for name, tt := range map[string]struct {
		args map[string]any
		want func(map[string]any) bool
	}{
		"short": {map[string]any{"a": "b", "n": 1}, func(m map[string]any) bool { return m["a"] == "b" && m["n"] == 1 }},
		"long":  {map[string]any{"a": long, "n": 1}, func(m map[string]any) bool { return len(m["a"].(string)) < 400 && m["n"] == 1 }},
		"deep": {map[string]any{"a": []any{map[string]any{"b": long}}}, func(m map[string]any) bool {
			return len(m["a"].([]any)[0].(map[string]any)["b"].(string)) < 400
		}},
		"many": {many, func(m map[string]any) bool { return m != nil && len(m) == 0 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, err := json.Marshal(tt.args)
			if err != nil {
				t.Fatal(err)
			}
			big := sdk.ToolCall{Args: tt.args, ArgsJSON: string(raw), Result: strings.Repeat("r", 90_000)}
			// The two entries after it take half of the space, so that it is shortened but keeps its arguments.
			got, _ := limit.TrimCalls([]sdk.ToolCall{big, call(1, 60_000), call(2, 1)}, 100_000)
			if !tt.want(got[0].Args) {
				t.Errorf("got %v", got[0].Args)
			}
			if len(got[0].ArgsJSON) > 2100 {
				t.Errorf("%d bytes of JSON are left", len(got[0].ArgsJSON))
			}
		})
	}
}

func TestTrimManyEntries(t *testing.T) {
	t.Parallel()
	calls, turns := make([]sdk.ToolCall, limit.Entries+1), make([]sdk.Turn, limit.Entries+1)
	calls[limit.Entries].Name, turns[limit.Entries].Role = "newest", "newest"
	gotCalls, _ := limit.TrimCalls(calls, limit.History)
	gotTurns, _ := limit.TrimTurns(turns, limit.Turns)
	if n := len(gotCalls); n != limit.Entries*3/4 || gotCalls[n-1].Name != "newest" {
		t.Errorf("%d calls are left", n)
	}
	if n := len(gotTurns); n != limit.Entries*3/4 || gotTurns[n-1].Role != "newest" {
		t.Errorf("%d turns are left", n)
	}
}

func TestTrimTurns(t *testing.T) {
	t.Parallel()
	var list []sdk.Turn
	for range 1500 {
		list = append(list, sdk.Turn{Role: "user", Content: strings.Repeat("t", 4000)})
	}
	got, size := limit.TrimTurns(list, 1<<19)
	if size > 1<<19 || len(got) != 1500 || got[1499] != list[1499] {
		t.Errorf("%d turns of %d bytes are left, the newest of %d bytes", len(got), size, len(got[1499].Content))
	}
	if want := strings.Repeat("t", 32) + "… [3968 bytes left out]"; got[0].Content != want || got[0].Role != "user" {
		t.Errorf("the oldest is %+v", got[0])
	}
}

func TestShortMessages(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("m", 10_000)
	list := []sdk.Message{{Role: "system", Content: text}}
	var before []sdk.Message
	changes := 0
	for n := range 100 {
		list = append(list, sdk.Message{ID: fmt.Sprint(n), Role: "tool", Content: text, ToolCalls: []sdk.MessageToolCall{{Arguments: map[string]any{"a": text}}}})
		got := limit.ShortMessages(list, 200_000)
		sum := 0
		for _, m := range got {
			sum += limit.MessageSize(m)
		}
		if sum > 320_000 || !reflect.DeepEqual(got[len(got)-1], list[len(list)-1]) || got[0].Content != text {
			t.Fatalf("%d messages take %d bytes, or the first and the last are not whole", len(got), sum)
		}
		if before != nil && !reflect.DeepEqual(got[:len(before)], before) {
			changes++
		}
		before = got
	}
	if changes == 0 || changes > 25 {
		t.Errorf("the beginning of the list changed %d times", changes)
	}
	if list[1].Content != text || len(list[1].ToolCalls[0].Arguments["a"].(string)) != len(text) {
		t.Error("the list that was given has changed")
	}
}
