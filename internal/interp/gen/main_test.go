package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestUpToDate fails if the SDK or the interpreter's library changed and the tables did not.
func TestUpToDate(t *testing.T) {
	t.Parallel()
	for name, generate := range map[string]func() ([]byte, error){
		"symbols_sdk.go":      sdkSymbols,
		"symbols_wrappers.go": wrapperNames,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, err := generate()
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join("..", name))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s is out of date: run go generate ./internal/interp", name)
			}
		})
	}
}
