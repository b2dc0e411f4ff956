//go:build !race

package main

import (
	"bytes"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestUpToDate regenerates the declarations and compares. The declarations of another Go release would differ.
func TestUpToDate(t *testing.T) {
	if !strings.HasPrefix(runtime.Version(), "go1.26") {
		testneed.Missing(t, testneed.Toolchain, "the declarations are those of Go 1.26, this is "+runtime.Version())
	}
	t.Chdir("..")
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is out of date (%d bytes, want %d): run go generate ./internal/golang/library", name, len(got), len(want))
		}
	}
}
