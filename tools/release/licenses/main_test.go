package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	mit, err := os.ReadFile(filepath.Join("..", "..", "..", "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	dir := func(text string) string {
		dir := t.TempDir()
		if text != "" {
			if err := os.WriteFile(filepath.Join(dir, "LICENSE"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	var out bytes.Buffer
	if err := check(map[string]string{"a@v1": dir(string(mit)), "b@v1": dir(string(mit))}, &out); err != nil || out.String() != "2 modules: MIT 2\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
	err = check(map[string]string{"a@v1": dir(string(mit)), "none@v1": dir(""), "gpl@v1": dir("SPDX-License-Identifier: MIT\nDo as I say.")}, &out)
	for _, want := range []string{"none@v1: ", "no license found", "gpl@v1: "} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	if !ours("github.com/idelchi/aura/sdk@v0.1.0") || ours("github.com/idelchi/auras@v1.0.0") {
		t.Error("our own modules are not told from others")
	}
}
