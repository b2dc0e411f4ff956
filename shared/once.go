package shared

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared/exact"
)

// OnceCall is the only call of a child that is started for one call. The child reads it as JSON from its standard input. Nothing follows it
// until the child makes a request.
type OnceCall struct {
	// Tool is the name of the tool.
	Tool    string
	Context sdk.Context
	Args    map[string]any
	// Env holds task variables that the plugin may see.
	Env map[string]string
	// Timeout is the time limit of the tool. It does not include loading the plugin.
	Timeout time.Duration
}

// OnceAnswer is what such a child writes to its standard output. The first answer reports that the plugin is loaded; the second
// contains the result of the tool. An answer with a Failure is the last one.
type OnceAnswer struct {
	Output  string
	Failure FailureKind
	// Message explains the failure.
	Message string
}

// answerHead is the line of JSON before an answer's two texts. The texts follow unencoded, because two copies of a large text
// would not fit into the plugin's memory limit.
type answerHead struct {
	Failure FailureKind `json:"failure,omitempty"`
	// Output and Message are lengths in bytes.
	Output  int `json:"output"`
	Message int `json:"message"`
	// Request is the length of a request in bytes, which follows instead of the texts; 0 for an answer.
	Request int `json:"request,omitempty"`
}

// maxHead is the size of the buffer for an answerHead, in bytes. It is far more than an answerHead needs.
const maxHead = 256

// Err returns the failure that the answer reports, if any.
func (a OnceAnswer) Err() error {
	if a.Failure == "" {
		return nil
	}
	return &Failure{Kind: a.Failure, Message: a.Message}
}

// AnswerOf returns the answer for the results of a call.
func AnswerOf(out string, err error) OnceAnswer {
	if err == nil {
		return OnceAnswer{Output: out}
	}
	if failure, ok := errors.AsType[*Failure](err); ok {
		return OnceAnswer{Failure: failure.Kind, Message: failure.Message}
	}
	return OnceAnswer{Failure: FailureError, Message: err.Error()}
}

// Encode returns the call as JSON without loss of information. If the call is too large, its lists are shortened. The limit
// applies to the size of the call in the codec, which is usually smaller than the JSON.
func (c OnceCall) Encode() ([]byte, error) {
	return c.encodeWithin(MaxMessage)
}

func (c OnceCall) encodeWithin(most int) ([]byte, error) {
	b, err := c.encode(most)
	for _, f := range oversizeFits {
		if err == nil || !errors.Is(err, errTooLarge) || len(c.Context.Turns)+len(c.Context.ToolHistory) == 0 {
			break
		}
		shorter := c
		shorter.Context = f.context(c.Context)
		if b, again := shorter.encode(most); again == nil {
			return b, nil
		}
	}
	return b, err
}

func (c OnceCall) encode(most int) ([]byte, error) {
	b, err := exact.Encode(c)
	if err != nil {
		return nil, fmt.Errorf("sending a tool's call: %w", err)
	}
	if len(b) <= most {
		return b, nil
	}
	body, err := encode(c)
	if err == nil && len(body) > most {
		err = tooLarge("call", len(body))
	}
	return b, err
}

// errTooLarge distinguishes a call that must be shortened from one that cannot be encoded.
var errTooLarge = errors.New("more than the limit")

func tooLarge(what string, size int) error {
	return fmt.Errorf("sending a tool's %s: %d bytes are %w of %d MiB", what, size, errTooLarge, MaxMessage>>20)
}

// WriteTo writes the answer. An answer over the limit is replaced by a failure that reports its size.
func (a OnceAnswer) WriteTo(w io.Writer) (int64, error) {
	if size := len(a.Output) + len(a.Message); size > MaxMessage {
		a = OnceAnswer{Failure: FailureError, Message: tooLarge("answer", size).Error()}
	}
	head, err := json.Marshal(answerHead{Failure: a.Failure, Output: len(a.Output), Message: len(a.Message)})
	if err != nil {
		return 0, fmt.Errorf("sending a tool's answer: %w", err)
	}
	var written int64
	for _, text := range []string{string(head) + "\n", a.Output, a.Message} {
		n, err := io.WriteString(w, text)
		written += int64(n)
		if err != nil {
			return written, fmt.Errorf("sending a tool's answer: %w", err)
		}
	}
	return written, nil
}

// ReadOnceCall reads a call from r, which must contain nothing else until the call is read.
func ReadOnceCall(r io.Reader) (OnceCall, error) {
	var c OnceCall
	d := json.NewDecoder(r)
	d.UseNumber()
	var tree any
	err := d.Decode(&tree)
	if err == nil {
		err = exact.Set(tree, &c)
	}
	if err != nil {
		return c, fmt.Errorf("reading a tool's call: %w", err)
	}
	return c, nil
}

// OnceAnswers reads the answers of a child. The child is not trusted, so an answer that is too large is refused.
type OnceAnswers struct {
	r *bufio.Reader
	// serving handles the child's requests; nil until Serve is called.
	serving *serving
}

// NewOnceAnswers returns an OnceAnswers that reads from r.
func NewOnceAnswers(r io.Reader) *OnceAnswers {
	return &OnceAnswers{r: bufio.NewReaderSize(r, maxHead)}
}

// Next returns the next answer. It handles the requests before the answer, until ctx is done. It returns io.EOF unwrapped.
func (a *OnceAnswers) Next(ctx context.Context) (OnceAnswer, error) {
	head, err := a.head()
	for err == nil && head.Request > 0 {
		if err = a.serve(ctx, head.Request); err == nil {
			head, err = a.head()
		}
	}
	if errors.Is(err, io.EOF) {
		return OnceAnswer{}, io.EOF
	}
	if err == nil && (head.Output < 0 || head.Message < 0 || head.Output > MaxMessage-head.Message) {
		err = tooLarge("answer", head.Output+head.Message)
	}
	out := OnceAnswer{Failure: head.Failure}
	if err == nil {
		out.Output, err = a.text(head.Output)
	}
	if err == nil {
		out.Message, err = a.text(head.Message)
	}
	if err != nil {
		return OnceAnswer{}, fmt.Errorf("reading a tool's answer: %w", err)
	}
	return out, nil
}

// head reads the line before an answer or a request. It returns io.EOF if there is none.
func (a *OnceAnswers) head() (head answerHead, err error) {
	line, err := a.r.ReadSlice('\n')
	if errors.Is(err, io.EOF) && len(line) > 0 {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		err = json.Unmarshal(line, &head)
	}
	return head, err
}

// text reads size bytes. It allocates memory as the bytes arrive, because the child may never send them.
func (a *OnceAnswers) text(size int) (string, error) {
	var b strings.Builder
	if _, err := io.CopyN(&b, a.r, int64(size)); err != nil {
		return "", noEOF(err)
	}
	return b.String(), nil
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
