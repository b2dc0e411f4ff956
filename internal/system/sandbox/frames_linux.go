package sandbox

import (
	"encoding/json"
	"fmt"
	"io"

	limits "github.com/idelchi/aura/internal/base/limit"
)

// frames reads the answers of a confined process. The process is not trusted: if a frame exceeds the limit, the call fails.
type frames struct {
	decoder *json.Decoder
	bound   *bound
	// limit is the largest size of one frame, in bytes.
	limit int
}

func newFrames(r io.Reader) frames {
	b := &bound{from: r}
	return frames{decoder: json.NewDecoder(b), bound: b, limit: limits.Frame}
}

// next reads one frame.
func (f frames) next(into *frame) error {
	f.bound.left, f.bound.limit = f.limit, f.limit
	return f.decoder.Decode(into)
}

// bound is a reader that limits how many bytes may still be read.
type bound struct {
	from        io.Reader
	left, limit int
}

func (b *bound) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("it has more than the limit of %s", limits.Size(b.limit))
	}
	n, err := b.from.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
