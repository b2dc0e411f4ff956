package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestCopyToMemory writes over the file of a program that was opened. What is started is the program as it was, if it was copied;
// as a control, without a copy it is what was written.
func TestCopyToMemory(t *testing.T) {
	t.Parallel()
	yes, err1 := os.ReadFile("/bin/true")
	no, err2 := os.ReadFile("/bin/false")
	if err1 != nil || err2 != nil {
		t.Skipf("this system has no such programs: %v, %v", err1, err2)
	}
	for _, copied := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(path, yes, 0o755); err != nil { //nolint:gosec // it is a program
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if copied {
			if err := copyToMemory(f); err != nil {
				t.Skipf("this system runs no programs from memory: %v", err)
			}
		}
		// As a shell writes with >: the same file, with another content.
		if err := os.WriteFile(path, no, 0o755); err != nil { //nolint:gosec // it is a program
			t.Fatal(err)
		}
		if err := exec.Command(descriptorPath(int(f.Fd()))).Run(); (err == nil) != copied {
			t.Errorf("copied %t: %v", copied, err)
		}
		if _, err := f.WriteString("x"); err == nil {
			t.Error("the copy can be written")
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
