package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
)

// TestJSONLinesAreNumbered lets many goroutines show events at once. The lines must be whole, and their numbers in order.
func TestJSONLinesAreNumbered(t *testing.T) {
	t.Parallel()
	const goroutines, each = 8, 50
	var out bytes.Buffer
	r := &jsonRenderer{out: &out}
	var group sync.WaitGroup
	for range goroutines {
		group.Go(func() {
			for range each {
				r.Event(event.Delta{Text: "x"})
			}
		})
	}
	group.Wait()
	if err := r.failure(); err != nil {
		t.Fatal(err)
	}
	want := 0
	for line := range strings.Lines(out.String()) {
		want++
		var got event.Stamp
		if err := json.Unmarshal([]byte(line), &got); err != nil || got.Seq != want || got.Version != event.Version {
			t.Fatalf("line %d is %q (%v)", want, line, err)
		}
	}
	if want != goroutines*each {
		t.Errorf("%d lines, want %d", want, goroutines*each)
	}
}
