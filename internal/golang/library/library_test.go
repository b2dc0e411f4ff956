package library

import "testing"

// TestLibrary reads all embedded declarations.
func TestLibrary(t *testing.T) {
	t.Parallel()
	if len(library()) < 150 {
		t.Fatalf("only %d packages", len(library()))
	}
	for path := range library() {
		if _, err := Import(path); err != nil {
			t.Error(err)
		}
	}
	for _, path := range importable {
		if _, ok := library()[path]; !ok && !IsGeneric(path) {
			t.Errorf("%q can be imported, and has no declarations", path)
		}
	}
	for _, path := range []string{"syscall", "os/exec", "unsafe", "maps/x", "internal/abi", ""} {
		if Has(path) {
			t.Errorf("%q can be imported", path)
		}
	}
	if _, err := Import("no/such"); err == nil {
		t.Error("a package that does not exist is known")
	}
}
