package sandbox

import (
	"io"
	"strings"
	"testing"

	limits "github.com/idelchi/aura/internal/base/limit"
)

// zeros reads as an endless JSON text.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

func TestFramesAreBounded(t *testing.T) {
	t.Parallel()
	in := newFrames(io.MultiReader(strings.NewReader("{\"fault\":\"a\"}\n{\"fault\":\"b\"}\n{\"fault\":\""), zeros{}))
	if in.limit != limits.Frame {
		t.Errorf("a frame may have %d bytes, want %d", in.limit, limits.Frame)
	}
	in.limit = 1 << 20 // reaching the real limit takes seconds
	for _, want := range []string{"a", "b"} {
		var f frame
		if err := in.next(&f); err != nil || f.Fault != want {
			t.Errorf("got %q, %v, want %q", f.Fault, err, want)
		}
	}
	var f frame
	if err := in.next(&f); err == nil || !strings.Contains(err.Error(), "more than the limit of "+limits.Size(in.limit)) {
		t.Errorf("got %v", err)
	}
}
