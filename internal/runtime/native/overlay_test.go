package native

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// toolchain returns the toolchain of the machine.
func toolchain(t *testing.T) Toolchain {
	t.Helper()
	found, err := Find(os.Getenv("PATH"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestWithoutFatal checks that the package log of this toolchain can be changed, and what is refused.
func TestWithoutFatal(t *testing.T) {
	t.Parallel()
	original, err := os.ReadFile(filepath.Join(toolchain(t).Root, "src", "log", "log.go"))
	if err != nil {
		t.Fatal(err)
	}
	changed, err := withoutFatal("log.go", original)
	if err != nil {
		t.Fatal(err)
	}
	if calls := func(text []byte) int { return strings.Count(string(text), "\tos.Exit(") }; calls(original) != 6 || calls(changed) != 0 {
		t.Errorf("%d calls of os.Exit became %d", calls(original), calls(changed))
	}
	const pair = "package log\nfunc Fatal(v ...any) { os.Exit(1) }\nfunc Panic(v ...any) { panic(v) }\n"
	for name, tt := range map[string]struct{ text, want string }{
		"no Go":               {"package", "expected 'IDENT'"},
		"nothing":             {"package log", "declares 0 functions"},
		"one":                 {pair, "declares 1 functions"},
		"no counterpart":      {"package log\nfunc Fatal(v ...any) {}", "Fatal has no counterpart"},
		"other names":         {strings.Replace(pair, "Panic(v", "Panic(w", 1), "Fatal has no counterpart"},
		"another counterpart": {strings.Replace(pair, "Panic(", "Panicf(", 1), "Fatal has no counterpart"},
	} {
		if out, err := withoutFatal("log.go", []byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %q, %v, want %q", name, out, err, tt.want)
		}
	}
}

// TestOverlay checks which plugins have a package log of their own.
func TestOverlay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{`import "log"`: true, "import l `log`": true, `import "log/slog"`: false, `import "fmt"`: false} {
		for _, unsafe := range []bool{false, true} {
			s := parse(t, "main.go", "package p; "+text)
			s.Unsafe = unsafe
			tree := map[string][]byte{}
			if err := s.addOverlay(tree, toolchain(t)); err != nil {
				t.Error(err)
			}
			if (tree[overlayLog] != nil) != (want && !unsafe) || len(tree[overlayList]) > 0 != (want && !unsafe) {
				t.Errorf("%s, unsafe %t: got %d files", text, unsafe, len(tree))
			}
		}
	}
	err := parse(t, "main.go", `package p; import "log"`).addOverlay(map[string][]byte{}, Toolchain{Root: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "reading package log of the Go toolchain") {
		t.Errorf("without the package: %v", err)
	}
}
