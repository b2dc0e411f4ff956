package gitcmd_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/gitcmd"
)

// TestSettings checks which settings git reads, with a repository around it, one in the environment, and settings of the user.
func TestSettings(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "git")
	home, hostile := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(home, ".gitconfig"):      "[test]\n\tuser = yes\n",
		filepath.Join(hostile, "HEAD"):         "ref: refs/heads/main\n",
		filepath.Join(hostile, "config"):       "[core]\n\tbare = true\n[test]\n\trepository = yes\n",
		filepath.Join(hostile, "objects", "x"): "",
		filepath.Join(hostile, "refs", "x"):    "",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	environ := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_DIR=" + hostile, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=test.variable", "GIT_CONFIG_VALUE_0=yes", "GIT_EXEC_PATH=" + hostile,
	}
	for name, tt := range map[string]struct {
		settings gitcmd.Settings
		want     string
	}{
		"none":        {gitcmd.NoSettings, ""},
		"fetching":    {gitcmd.FetchSettings, "test.user=yes"},
		"credentials": {gitcmd.CredentialSettings, "test.user=yes"},
	} {
		var out bytes.Buffer
		err := gitcmd.Run(t.Context(), gitcmd.Job{Args: []string{"config", "--list"}, Settings: tt.settings, Environ: environ, Stdout: &out})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for line := range strings.Lines(out.String()) {
			if strings.HasPrefix(line, "test.") {
				got = append(got, strings.TrimSpace(line))
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: git reads %q", name, got)
		}
	}
	// The control: git itself reads the repository and the variables.
	control := exec.Command("git", "config", "--list")
	control.Env, control.Dir = environ[:len(environ)-1], hostile
	if out, err := control.CombinedOutput(); err != nil || !strings.Contains(string(out), "test.repository=yes") || !strings.Contains(string(out), "test.variable=yes") {
		t.Errorf("the control: %v: %s", err, out)
	}
}
