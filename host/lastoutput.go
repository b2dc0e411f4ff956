package host

import (
	"bytes"
	"slices"
	"sync"
)

const (
	// tailSize is how much of a child's most recent output is kept for error messages, in bytes.
	tailSize = 64 << 10
	// headSize is how much is kept of a crash that is longer than that, in bytes. beforeCrash of it is the output before the crash, which has
	// the interpreter's frames.
	headSize    = 16 << 10
	beforeCrash = 2 << 10
)

// lastOutput is a writer that keeps what a child printed last. The Go runtime prints the message of a crash first and then the stacks of all
// goroutines, so the beginning of the last crash is kept, too. Several goroutines may use it.
type lastOutput struct {
	mu sync.Mutex
	// kept is the most recent output, up to twice tailSize. line is where its last line begins, and crash where the last crash begins, or -1.
	kept        []byte
	line, crash int
	// head is the beginning of the last crash if kept does not have it any more.
	head []byte
}

func newLastOutput() *lastOutput { return &lastOutput{crash: -1} }

// Write always succeeds.
func (o *lastOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for part := range slices.Chunk(p, tailSize) {
		o.kept = append(o.kept, part...)
		o.findCrash(len(o.kept) - len(part))
		o.trim()
	}
	return len(p), nil
}

// findCrash looks at the lines that end at from or later.
func (o *lastOutput) findCrash(from int) {
	for {
		i := bytes.IndexByte(o.kept[from:], '\n')
		if i < 0 {
			return
		}
		if crashLine().Match(o.kept[o.line : from+i]) {
			o.crash, o.head = o.line, nil
		}
		from += i + 1
		o.line = from
	}
}

// trim drops old output once there is twice as much as needed, so that each byte is moved at most once on average.
func (o *lastOutput) trim() {
	cut := len(o.kept) - tailSize
	if cut < tailSize {
		return
	}
	switch begin := max(0, o.crash-beforeCrash); {
	case o.crash >= cut:
		cut = min(cut, begin)
	case o.crash >= 0:
		head := o.kept[begin : begin+headSize]
		o.head = bytes.Clone(head[:bytes.LastIndexByte(head, '\n')+1])
		o.crash = -1
	}
	o.kept = append(o.kept[:0], o.kept[cut:]...)
	o.line, o.crash = max(0, o.line-cut), max(-1, o.crash-cut)
}

// String returns the last output. The beginning of a crash comes before it if what follows are stacks. Otherwise the child printed something
// that only looks like a crash.
func (o *lastOutput) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.head != nil && bytes.Contains(o.kept, []byte("\ngoroutine ")) {
		return string(o.head) + string(o.kept)
	}
	return string(o.kept)
}
