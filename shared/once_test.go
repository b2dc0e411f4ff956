package shared

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestOnceCallForms checks how values that JSON cannot represent are encoded.
func TestOnceCallForms(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		value any
		form  string
	}{
		"int":                 {1, `1`},
		"float that is whole": {1.0, `1.0`},
		"large float":         {1e21, `1e+21`},
		"minus zero":          {math.Copysign(0, -1), `-0.0`},
		"not a number":        {math.NaN(), `{"$float":"NaN"}`},
		"endless":             {math.Inf(-1), `{"$float":"-Inf"}`},
		"largest":             {uint64(math.MaxUint64), `18446744073709551615`},
		"text":                {"ä<b>", `"ä\u003cb\u003e"`},
		"not UTF-8":           {"\xff", `{"$text":"/w=="}`},
		"bytes":               {[]byte("x"), `{"$data":"eA=="}`},
		"time":                {time.Date(2026, 2, 3, 4, 5, 6, 7, time.UTC), `{"$time":"2026-02-03T04:05:06.000000007Z"}`},
		"key like a mark":     {map[string]any{"$text": "eA=="}, `{"$map":[["$text","eA=="]]}`},
		"key that is a mark":  {map[string]any{"$map": []any{}}, `{"$map":[["$map",[]]]}`},
		"key not UTF-8":       {map[string]any{"\xff": nil}, `{"$map":[[{"$text":"/w=="},null]]}`},
		"empty":               {[]any{map[string]any{}, []any{}, nil, ""}, `[{},[],null,""]`},
	} {
		text, err := OnceCall{Args: map[string]any{"x": tt.value}}.Encode()
		if err != nil || !strings.Contains(string(text), `"Args":{"x":`+tt.form+`}`) {
			t.Errorf("%s: got %s, %v, want %s", name, text, err, tt.form)
			continue
		}
		out, err := ReadOnceCall(bytes.NewReader(text))
		if err != nil || !same(out.Args["x"], tt.value) {
			t.Errorf("%s: got %#v, %v", name, out.Args["x"], err)
		}
	}
}

// TestOnceAnswersRefuses reads malformed and oversized answers.
func TestOnceAnswersRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		stream io.Reader
		want   string
	}{
		"half a head":       {strings.NewReader(`{"output":`), "EOF"},
		"no head":           {strings.NewReader("nonsense\n"), "invalid character"},
		"a head of no end":  {endless{}, "buffer full"},
		"half a text":       {strings.NewReader("{\"output\":5}\nabc"), "unexpected EOF"},
		"too large":         {io.MultiReader(strings.NewReader("{\"output\":67108865}\n"), endless{}), "more than the limit of 64 MiB"},
		"too large in all":  {strings.NewReader("{\"output\":67108864,\"message\":1}\n"), "more than the limit of 64 MiB"},
		"less than nothing": {strings.NewReader("{\"output\":-1}\n"), "more than the limit"},
		"beyond counting":   {strings.NewReader("{\"output\":9223372036854775807,\"message\":9223372036854775807}\n"), "more than the limit"},
	} {
		if got, err := NewOnceAnswers(tt.stream).Next(t.Context()); err == nil || errors.Is(err, io.EOF) && tt.want != "EOF" || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %.100q, %v, want %s", name, got, err, tt.want)
		}
	}
}

// endless is a reader that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func FuzzReadOnceCall(f *testing.F) {
	for seed := range uint64(5) {
		var call OnceCall
		random{rand.New(rand.NewPCG(seed, 4))}.fill(reflect.ValueOf(&call).Elem(), 3)
		text, err := call.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		call, err := ReadOnceCall(bytes.NewReader(text))
		if err != nil {
			return
		}
		again, err := call.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if back, err := ReadOnceCall(bytes.NewReader(again)); err != nil || !same(call, back) {
			t.Fatalf("%s became %s, %v", text, again, err)
		}
	})
}
