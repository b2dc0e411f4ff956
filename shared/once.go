package shared

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/idelchi/aura/sdk"
)

// OnceCall is the one call of a child that is started for it. It arrives as JSON on the child's standard input.
type OnceCall struct {
	Context sdk.Context
	Args    map[string]any
	// Env holds task variables that the plugin may see.
	Env map[string]string
	// Timeout is how long the tool has; loading the plugin does not count.
	Timeout time.Duration
}

// OnceAnswer is a line of JSON that such a child writes to its standard output: the first once the plugin is loaded, the second with
// what the tool returned. After one with a Failure there is no other.
type OnceAnswer struct {
	Output  string
	Failure FailureKind
	// Message explains the failure.
	Message string
}

// Err is the failure that the answer tells, if any.
func (a OnceAnswer) Err() error {
	if a.Failure == "" {
		return nil
	}
	return &Failure{Kind: a.Failure, Message: a.Message}
}

// AnswerOf is the answer for what a call returned.
func AnswerOf(out string, err error) OnceAnswer {
	if err == nil {
		return OnceAnswer{Output: out}
	}
	if failure, ok := errors.AsType[*Failure](err); ok {
		return OnceAnswer{Failure: failure.Kind, Message: failure.Message}
	}
	return OnceAnswer{Failure: FailureError, Message: err.Error()}
}

// Encode returns the call as JSON that loses nothing.
func (c OnceCall) Encode() ([]byte, error) { return encodeExact("call", c) }

// Encode returns the answer as a line of JSON. One over the limit becomes a failure that says so.
func (a OnceAnswer) Encode() ([]byte, error) {
	b, err := encodeExact("answer", a)
	if err != nil {
		b, err = encodeExact("answer", OnceAnswer{Failure: FailureError, Message: err.Error()})
	}
	return append(b, '\n'), err
}

func encodeExact(what string, v any) ([]byte, error) {
	tree, err := exact(reflect.ValueOf(v))
	if err != nil {
		return nil, fmt.Errorf("sending a tool's %s: %w", what, err)
	}
	b, err := json.Marshal(tree)
	if err != nil {
		return nil, fmt.Errorf("sending a tool's %s: %w", what, err)
	}
	if len(b) > MaxMessage {
		return nil, fmt.Errorf("sending a tool's %s: %d bytes are more than the limit of %d MiB", what, len(b), MaxMessage>>20)
	}
	return b, nil
}

// ReadOnceCall reads the call from what is nothing else.
func ReadOnceCall(r io.Reader) (OnceCall, error) {
	var c OnceCall
	err := readExact(exactDecoder(r), "call", &c)
	return c, err
}

// OnceAnswers reads the answers of a child, which is not trusted: it takes no more than the largest there may be.
type OnceAnswers struct {
	limited *io.LimitedReader
	decoder *json.Decoder
}

// NewOnceAnswers reads from r.
func NewOnceAnswers(r io.Reader) *OnceAnswers {
	limited := &io.LimitedReader{R: r}
	return &OnceAnswers{limited, exactDecoder(limited)}
}

// Next returns the next answer; io.EOF comes as it is.
func (a *OnceAnswers) Next() (OnceAnswer, error) {
	a.limited.N = MaxMessage + 1
	var out OnceAnswer
	err := readExact(a.decoder, "answer", &out)
	return out, err
}

func exactDecoder(r io.Reader) *json.Decoder {
	d := json.NewDecoder(r)
	d.UseNumber()
	return d
}

func readExact(d *json.Decoder, what string, into any) error {
	var tree any
	err := d.Decode(&tree)
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	if err == nil {
		err = inexact(tree, reflect.ValueOf(into).Elem())
	}
	if err != nil {
		return fmt.Errorf("reading a tool's %s: %w", what, err)
	}
	return nil
}
