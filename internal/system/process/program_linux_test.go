package process_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/process"
)

// TestProgramDescriptor starts a program from a descriptor whose number another file has in the process.
func TestProgramDescriptor(t *testing.T) {
	t.Parallel()
	program, err := os.Open("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = program.Close() }()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = null.Close() }()
	var out bytes.Buffer
	s := process.Spec{
		Path: fmt.Sprintf("/proc/self/fd/%d", program.Fd()), Args: []string{"sh", "-c", "readlink /proc/self/fd/3 && echo started"}, Stdout: &out,
	}
	for range program.Fd() {
		s.Files = append(s.Files, null)
	}
	if err := process.Run(t.Context(), s); err != nil || out.String() != "/dev/null\nstarted\n" {
		t.Errorf("got %q, %v", &out, err)
	}
	s.Path = "/proc/self/fd/" + strings.Repeat("9", 9)
	if err := process.Run(t.Context(), s); err == nil || !strings.Contains(err.Error(), "finding the program /proc/self/fd/999999999: bad file descriptor") {
		t.Errorf("without the descriptor: %v", err)
	}
}
