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

	"github.com/idelchi/aura/sdk"
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

func TestOnceCallRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":            {``, "EOF"},
		"half":               {`{"Args": {`, "unexpected EOF"},
		"not an object":      {`[]`, "got a []interface {}, want a shared.OnceCall"},
		"unknown field":      {`{"Arg": {}}`, `no field "Arg"`},
		"wrong type":         {`{"Context": {"Iteration": "1"}}`, "Context: Iteration: got a string, want a int"},
		"a float for an int": {`{"Timeout": 1.5}`, "Timeout: got a float64, want a time.Duration"},
		"too large a number": {`{"Timeout": 18446744073709551615}`, "Timeout: got a uint64"},
		"far too large":      {`{"Timeout": 99999999999999999999}`, "value out of range"},
		"unknown mark":       {`{"Args": {"x": {"$x": "y"}}}`, `"$x" stands for nothing`},
		"bad base64":         {`{"Args": {"x": {"$text": "?"}}}`, "illegal base64"},
		"bad time":           {`{"Args": {"x": {"$time": "noon"}}}`, "cannot parse"},
		"a time by number":   {`{"Context": {"Stats": {"StartTime": 1}}}`, "is no time"},
		"a list for a map":   {`{"Args": []}`, "is no map"},
		"a map for a list":   {`{"Context": {"Turns": {}}}`, "want a []sdk.Turn"},
		"no pair":            {`{"Args": {"$map": [["a"]]}}`, "is no pair"},
		"no key":             {`{"Args": {"$map": [[1, 2]]}}`, "a key of $map is a int"},
	} {
		if _, err := ReadOnceCall(strings.NewReader(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
	if _, err := (OnceCall{Args: map[string]any{"x": func() {}}}).Encode(); err == nil || !strings.Contains(err.Error(), `Args: "x": a value of type func() cannot be sent`) {
		t.Errorf("a function: %v", err)
	}
	for name, tt := range map[string]struct {
		size int
		text string
		want string
	}{
		"too large":                   {MaxMessage, "x", "more than the limit of 64 MiB"},
		"large as JSON, but not else": {MaxMessage/6 + 1, "\x00", ""},
	} {
		call := OnceCall{Context: sdk.Context{SystemPrompt: strings.Repeat(tt.text, tt.size)}}
		text, err := call.Encode()
		if tt.want != "" {
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if back, err2 := ReadOnceCall(bytes.NewReader(text)); err != nil || err2 != nil || back.Context.SystemPrompt != call.Context.SystemPrompt {
			t.Errorf("%s: %v, %v", name, err, err2)
		}
	}
}

func TestOnceAnswers(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("\x00", MaxMessage)
	var stream bytes.Buffer
	for _, a := range []OnceAnswer{
		AnswerOf("", nil),
		AnswerOf("text \xff\n{}\n", nil),
		AnswerOf("unused", &Failure{Kind: FailurePanic, Message: "p"}),
		AnswerOf("", errors.New("e\nf")),
		AnswerOf(large, nil),
		AnswerOf(large+"x", nil),
		AnswerOf("", errors.New(large+"x")),
	} {
		before := stream.Len()
		if n, err := a.WriteTo(&stream); err != nil || n != int64(stream.Len()-before) {
			t.Fatal(err, n)
		}
	}
	answers := NewOnceAnswers(&stream)
	for i, want := range []struct {
		out, kind, err string
	}{
		{},
		{out: "text \xff\n{}\n"},
		{kind: "panic", err: "p"},
		{kind: "error", err: "e\nf"},
		{out: large},
		{kind: "error", err: "more than the limit of 64 MiB"},
		{kind: "error", err: "more than the limit of 64 MiB"},
	} {
		got, err := answers.Next(t.Context())
		if err != nil || got.Output != want.out || string(got.Failure) != want.kind || !strings.Contains(got.Message, want.err) || (got.Err() != nil) != (want.kind != "") {
			t.Errorf("answer %d: got %.100q, %v", i, got, err)
		}
	}
	if _, err := answers.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("after the last: %v", err)
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
