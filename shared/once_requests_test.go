package shared

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/sdk"
)

// echo answers requests with what it is asked.
type echo struct{ emitted []string }

func (e *echo) Emit(_ context.Context, name string, payload []byte) error {
	e.emitted = append(e.emitted, name+" "+string(payload))
	return nil
}

func (*echo) Listen(context.Context, string) error { return errors.New("deaf") }

func (*echo) State(_ context.Context, r StateRequest) (StateAnswer, error) {
	return StateAnswer{Value: strings.Repeat(r.Value, len(r.Key)), Found: true}, nil
}

// TestOnceRequests makes requests between the answers of a child that runs one call.
func TestOnceRequests(t *testing.T) {
	t.Parallel()
	replies, repliesW := io.Pipe()
	answersR, answersW := io.Pipe()
	link, requests := NewOnceLink(replies, answersW), NewRequester()
	served, asked := make(chan error, 1), make(chan error, 1)
	go func() { served <- link.Serve(requests) }()
	go func() {
		got, err := requests.State(t.Context(), StateRequest{Op: StateGet, Scope: sdk.ScopeSession, Key: "abc", Value: "x"})
		if err == nil && got.Value != "xxx" {
			err = errors.New("got " + got.Value)
		}
		large, err2 := requests.State(t.Context(), StateRequest{Key: strings.Repeat("k", 1000), Value: strings.Repeat("v", 2000)})
		if err2 == nil {
			err2 = errors.New("got a value of bytes: " + large.Value[:10])
		} else if err2.Error() == "the answer is too large" {
			err2 = nil
		}
		err3 := requests.Listen(t.Context(), "e")
		if err3 != nil && err3.Error() == "deaf" {
			err3 = nil
		}
		asked <- errors.Join(err, err2, err3, requests.Emit(t.Context(), "e", []byte("p")), link.Answer(AnswerOf("done", nil)))
	}()
	answers, services := NewOnceAnswers(answersR), &echo{}
	answers.Serve(services, repliesW)
	if got, err := answers.Next(t.Context()); err != nil || got.Output != "done" {
		t.Errorf("got %+v, %v", got, err)
	}
	go func() { _, _ = io.Copy(io.Discard, answersR) }()
	t.Cleanup(func() { _ = answersW.Close() })
	if err := <-asked; err != nil || len(services.emitted) != 1 || services.emitted[0] != "e p" {
		t.Errorf("%v, emitted %q", err, services.emitted)
	}
	// When aura is gone, a request fails instead of waiting.
	if err := repliesW.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	if err := requests.Listen(t.Context(), "e"); err == nil || !strings.Contains(err.Error(), "the connection is gone") {
		t.Errorf("without aura: %v", err)
	}
	if err := requests.Emit(t.Context(), "e", make([]byte, maxRequest)); err == nil || !strings.Contains(err.Error(), "more than the limit of 1 MiB") {
		t.Errorf("too large: %v", err)
	}
}

// TestOnceRequestsRefused reads requests that a child must not make.
func TestOnceRequestsRefused(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		text  string
		alone bool
		want  string
	}{
		"too large":       {text: "{\"request\":1048577}\n", want: "more than the limit of 1 MiB"},
		"half a request":  {text: "{\"request\":5}\nabc", want: "unexpected EOF"},
		"no request":      {text: "{\"request\":3}\nabc", want: "reading a message"},
		"nobody answers":  {text: "{\"request\":3}\nabc", alone: true, want: "nobody answers requests"},
		"less than empty": {text: "{\"request\":-1,\"output\":-1}\n", want: "more than the limit"},
	} {
		answers := NewOnceAnswers(strings.NewReader(row.text))
		if !row.alone {
			answers.Serve(&echo{}, io.Discard)
		}
		if _, err := answers.Next(t.Context()); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, want %q", name, err, row.want)
		}
	}
}

func (*echo) Now(context.Context) (time.Time, error) { return time.Time{}, nil }

func (*echo) Rand(context.Context) (uint64, error) { return 0, nil }
