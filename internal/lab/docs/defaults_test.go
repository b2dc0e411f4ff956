//go:build unix

package docs

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// settingLine matches a line of aura show features: the key, its value and where it is set.
var settingLine = regexp.MustCompile(`(?m)^(\S+\.\S+) +(.*?) +default$`)

// TestDefaults compares the documented defaults of settings with those that aura shows without any configuration. If aura
// shows no value, the page explains in words what that means.
func TestDefaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(filepath.Join(bin, "aura"), "show", "features", "--home", "", "--workdir", dir)
	cmd.Env = []string{"HOME=" + dir}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for _, m := range settingLine.FindAllStringSubmatch(string(out), -1) {
		known[m[1]] = m[2]
	}
	page := text(t, "docs/configuration.md")
	for prefix, heading := range map[string]string{
		"tools.": "### Tools", "compaction.": "### Compaction", "sandbox.": "### Sandbox", "instructions.": "### Instructions",
	} {
		for _, row := range tables(section(t, page, heading))[0] {
			values := strings.Split(row[1], ", ")
			for i, key := range codes(row[0]) {
				want, ok := known[prefix+key]
				if got := values[min(i, len(values)-1)]; !ok || want != "-" && !equalSetting(got, want) {
					t.Errorf("%s%s: the page has %q, aura %q", prefix, key, got, want)
				}
			}
		}
	}
}

// equalSetting reports whether two settings are equal. Durations are equal if they have the same length.
func equalSetting(a, b string) bool {
	long, err := time.ParseDuration(a)
	other, wrong := time.ParseDuration(b)
	return a == b || err == nil && wrong == nil && long == other
}
