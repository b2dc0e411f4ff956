package shared

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/idelchi/aura/sdk"
)

func TestExactValues(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		in   any
		form string
	}{
		"nothing": {nil, `null`},
		"text":    {"\xff", `{"$text":"/w=="}`},
		"data":    {[]byte{1}, `{"$data":"AQ=="}`},
		"number":  {math.Inf(1), `{"$float":"+Inf"}`},
		"map":     {map[string]any{"$a": 1}, `{"$map":[["$a",1]]}`},
		"pointer": {sdk.ResponseModification{Content: new("x")}, `{"Content":"x","Skip":false}`},
		"none":    {sdk.ResponseModification{}, `{"Content":null,"Skip":false}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := EncodeExact(tt.in)
			if err != nil || string(text) != tt.form {
				t.Errorf("got %s, %v, want %s", text, err, tt.form)
			}
		})
	}
}

// TestExactText checks that texts have the form that encoding/json gives them.
func TestExactText(t *testing.T) {
	t.Parallel()
	all := []string{"", `a "quoted" \ text`, "two\nlines\t", "äöü \u2028 \u2029 \u202a â 世界 \U0001f600", "<a href='b'>&amp;</a>"}
	for c := range rune(0x3000) {
		all = append(all, string(c), "x"+string(c)+"y")
	}
	for _, text := range all {
		got, err := EncodeExact(text)
		want, _ := json.Marshal(text)
		if err != nil || string(got) != string(want) {
			t.Errorf("%q: got %s, %v, want %s", text, got, err, want)
		}
	}
}

// TestExactNesting checks that a value that contains itself is found wherever it does, and that Append accepts pointers.
func TestExactNesting(t *testing.T) {
	t.Parallel()
	type node struct {
		Name string
		Next []node
	}
	ring := node{Next: make([]node, 1)}
	ring.Next[0] = ring
	loop := map[string]any{}
	loop["self"] = []any{loop}
	for name, v := range map[string]any{
		"a type in itself": ring, "a map": sdk.Context{PluginConfig: loop}, "a list of structs": sdk.Context{ToolHistory: []sdk.ToolCall{{Args: loop}}},
	} {
		if err := encodeError(v); err == nil || !strings.Contains(err.Error(), "a value holds itself") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	got, err := AppendExact([]byte("x"), &sdk.ResponseModification{Skip: true})
	if err != nil || string(got) != `x{"Content":null,"Skip":true}` {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestExactErrors(t *testing.T) {
	t.Parallel()
	loop := map[string]any{}
	loop["self"] = loop
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"a function":        {encodeError(func() {}), "a value of type func() cannot be sent"},
		"a value in itself": {encodeError(loop), "a value holds itself"},
		"unknown field":     {DecodeExact([]byte(`{"Blok":true}`), &sdk.BeforeToolResult{}), `has no field "Blok"`},
		"no JSON":           {DecodeExact([]byte(`{`), &sdk.Result{}), "reading JSON: "},
		"another type":      {DecodeExact([]byte(`{"Message":1}`), &sdk.Result{}), "Message: got a int, want a string"},
		"inside a pointer":  {DecodeExact([]byte(`{"Response":{"Skip":1}}`), &sdk.Result{}), "Response: Skip: got a int, want a bool"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.err == nil || !strings.Contains(tt.err.Error(), tt.want) {
				t.Errorf("got %v, want %s", tt.err, tt.want)
			}
		})
	}
}

func encodeError(v any) error {
	_, err := EncodeExact(v)
	return err
}

// FuzzDecodeExact checks that no JSON makes the decoder panic.
func FuzzDecodeExact(f *testing.F) {
	for _, text := range []string{
		`{"Result":{"Message":"x","DisableTools":["a"],"Output":null},"Arguments":{"$map":[["$a",{"$time":"2026-01-01T00:00:00Z"}]]},"Block":true}`,
		`{"Arguments":{"a":{"$number":"1"},"b":{"$float":"x"},"c":{"$text":"?"}}}`, `[]`, `1`, `{"$map":1}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var out sdk.BeforeToolResult
		var list []sdk.Message
		var dynamic any
		_ = DecodeExact(text, &out)
		_ = DecodeExact(text, &list)
		_ = DecodeExact(text, &dynamic)
	})
}
