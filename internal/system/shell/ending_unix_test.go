//go:build unix

package shell

import (
	"os"
	"testing"
	"time"
)

// TestLateStatus checks that the status of a line is read also if copying its output took longer than reads are allowed after its end.
func TestLateStatus(t *testing.T) {
	t.Parallel()
	ours, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := theirs.Write([]byte{7}); err != nil {
		t.Fatal(err)
	}
	if err := theirs.Close(); err != nil {
		t.Fatal(err)
	}
	if err := ours.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if status, ok := (&lineProcess{ending: ours}).announced(); !ok || status != 7 {
		t.Errorf("got %d, %v", status, ok)
	}
}
