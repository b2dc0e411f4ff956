package dialogue

import (
	"fmt"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/limit"
)

// partCost is the overhead of a part of an answer, such as a tool call, in bytes. It is added to the length of its text.
const partCost = 256

// Meter limits the size of one answer. The zero value is ready to use.
type Meter struct {
	bytes, calls int
	// Dropped is the number of tool calls beyond the limit, which are discarded.
	Dropped int
}

// CountText counts the bytes of text, thinking or arguments.
func (m *Meter) CountText(texts ...string) {
	for _, text := range texts {
		m.bytes += len(text)
	}
}

// Part counts the start of a part.
func (m *Meter) Part() { m.bytes += partCost }

// Call counts the start of a tool call. It reports whether the call is within the limit.
func (m *Meter) Call() bool {
	m.Part()
	if m.calls >= limit.Calls {
		m.Dropped++
		return false
	}
	m.calls++
	return true
}

// Err returns an error once the answer exceeds the limit. The caller must then stop reading.
func (m *Meter) Err() error {
	if m.bytes <= limit.Answer {
		return nil
	}
	return &llm.Error{Message: fmt.Sprintf("reading the answer: it has more than the limit of %s for one answer, so it was ended", limit.Size(limit.Answer))}
}
