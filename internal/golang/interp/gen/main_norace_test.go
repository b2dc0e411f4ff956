//go:build !race

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestUpToDate fails if the SDK, the interpreter's library or Go's changed and the tables did not.
func TestUpToDate(t *testing.T) {
	t.Parallel()
	testneed.Long(t) // 'make generate-check' finds the same
	want, err := library()
	if err != nil {
		t.Fatal(err)
	}
	if want["../symbols_sdk.go"], err = sdkSymbols(); err != nil {
		t.Fatal(err)
	}
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join("..", "symtab", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, text) {
			t.Errorf("%s is out of date: run go generate ./internal/golang/interp", name)
		}
	}
	for _, pattern := range []string{"std_*.go", "syscall_*_*.go"} {
		there, err := filepath.Glob(filepath.Join("..", "symtab", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range there {
			if want[filepath.Base(file)] == nil {
				t.Errorf("%s is generated no more: remove it", file)
			}
		}
	}
}
