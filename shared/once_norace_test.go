//go:build !race

package shared

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/idelchi/aura/sdk"
)

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
