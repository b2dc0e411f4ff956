package dialogue

import (
	"fmt"

	"github.com/idelchi/aura/internal/limit"
	"github.com/idelchi/aura/internal/llm"
)

// partCost is what a part of an answer, such as a tool call, takes beside its text, in bytes.
const partCost = 256

// Meter bounds what is kept of one answer. The zero value is ready.
type Meter struct {
	bytes, calls int
	// Dropped is how many tool calls were left out.
	Dropped int
}

// Take counts text, thinking or arguments.
func (m *Meter) Take(texts ...string) {
	for _, text := range texts {
		m.bytes += len(text)
	}
}

// Part counts the beginning of a part.
func (m *Meter) Part() { m.bytes += partCost }

// Call counts the beginning of a tool call and reports whether it is taken.
func (m *Meter) Call() bool {
	m.Part()
	if m.calls >= limit.Calls {
		m.Dropped++
		return false
	}
	m.calls++
	return true
}

// Err is not nil once the answer is larger than it may be. Whoever reads it stops then.
func (m *Meter) Err() error {
	if m.bytes <= limit.Answer {
		return nil
	}
	return &llm.Error{Message: fmt.Sprintf("reading the answer: it has more than the limit of %s for one answer, so it was ended", limit.Size(limit.Answer))}
}
