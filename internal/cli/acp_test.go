package cli

import (
	"io"
	"os"
	"testing"
)

// TestKeepOut checks that what other code prints to standard output does not get there. It changes standard output, so it is not
// parallel.
func TestKeepOut(t *testing.T) { //nolint:paralleltest // see above
	out := os.Stdout
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout = w
	restore := keepOut()
	kept := os.Stdout
	restore()
	same := os.Stdout == w
	os.Stdout = out
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if kept != os.Stderr || !same {
		t.Errorf("standard output was %v, and was restored: %v", kept.Name(), same)
	}
	if got, err := io.ReadAll(r); err != nil || len(got) > 0 {
		t.Errorf("standard output got %q, %v", got, err)
	}
}
