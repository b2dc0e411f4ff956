package install

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/plugin/manifest"
)

func TestDisabled(t *testing.T) {
	t.Parallel()

	tests := []struct{ name, text, want string }{
		{"nothing", "", "disabled: true\n"},
		{"a comment", "# nothing\n", "disabled: true\n"},
		{"null", "--- ~\n", "disabled: true\n"},
		{"other keys", "# why\nname: x # what\nenv: [A, B]\n", "# why\nname: x # what\nenv: [A, B]\ndisabled: true\n"},
		{"disabled already", "disabled: true\nname: x\n", "disabled: true\nname: x\n"},
		{"enabled", "name: x\ndisabled: false # on\n", "name: x\ndisabled: true\n"},
		{"a quoted key", "\"disabled\": no\n", "\"disabled\": true\n"},
		{"a marker", "---\nname: x\n", "name: x\ndisabled: true\n"},
		{"braces", "{name: x}\n", "{name: x, disabled: true}\n"},
		{"disabled below another key", "config:\n  disabled: false\n", "config:\n  disabled: false\ndisabled: true\n"},
		{"a list", "[name]\n", "[name]\n"},
		{"no YAML", "a: [\n", "a: [\n"},
	}
	for _, tt := range tests {
		if got, err := disabled([]byte(tt.text)); string(got) != tt.want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

// TestDisableLink checks that a manifest that several plugins share is not edited for one of them.
func TestDisableLink(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	write(t, dir, map[string]string{"shared.yaml": "name: x\n"})
	link := filepath.Join(dir, manifest.FileName)
	testneed.Link(t, "shared.yaml", link)
	if err := disableIn(link); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"shared.yaml": "name: x\n", manifest.FileName: "name: x\ndisabled: true\n"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != want || err != nil {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}
