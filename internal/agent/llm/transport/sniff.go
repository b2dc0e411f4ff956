package transport

import (
	"bytes"
	"errors"
	"io"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/classify"
	"github.com/idelchi/aura/internal/base/limit"
)

// look checks the beginning of an answer. An HTML page is an error, whatever the header says. A line of an event stream begins
// with a letter or a colon. Anything else in its place is an error that only the body reports.
func (b *body) look() error {
	piece := make([]byte, 512)
	for {
		n, err := b.read(piece)
		if b.start = bytes.TrimLeft(piece[:n], " \t\r\n"); len(b.start) > 0 {
			switch {
			case classify.IsPage(b.start):
				return b.recordFailure(classify.Page(b.url, 0))
			case b.call.stream && bytes.IndexByte([]byte("{[<\""), b.start[0]) >= 0:
				return b.instead(err)
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// instead reads a body that replaces a stream and notes the error in it.
func (b *body) instead(err error) error {
	if err == nil {
		var rest []byte
		rest, err = io.ReadAll(io.LimitReader(reader(b.read), limit.ErrorBody))
		b.start = append(b.start, rest...)
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF) && !classify.HasError(b.start):
		return err
	case classify.HasError(b.start):
		return b.recordFailure(classify.Response(0, nil, b.start))
	default:
		return b.recordFailure(&llm.Error{Message: b.url + " answered with something else than a stream; check the url of the provider"})
	}
}

type reader func([]byte) (int, error)

func (r reader) Read(p []byte) (int, error) { return r(p) }
