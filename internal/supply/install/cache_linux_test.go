package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestCredentialCache uses git's cache of passwords. Asking it starts no daemon, and a daemon of the user's survives.
func TestCredentialCache(t *testing.T) {
	t.Parallel()
	program := testneed.Program(t, "git")
	// The path of a socket must be short.
	home, err := os.MkdirTemp("", "ac") //nolint:usetesting // t.TempDir is too long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	socket := filepath.Join(home, "private", "socket")
	config := "[credential]\n\thelper = cache --socket " + socket + "\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	environ := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1"}
	o := Options{Workdir: t.TempDir(), Environ: environ, UserHome: home}
	s := source{host: "example.org", protocol: "https"}
	if _, ok := o.fill(t.Context(), s); ok {
		t.Error("there is a password before one was stored")
	}
	if _, err := os.Stat(socket); err == nil {
		t.Error("asking for a password started a daemon")
	}
	user := func(input string, args ...string) {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Env, cmd.Dir, cmd.Stdin = environ, home, strings.NewReader(input)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	user("protocol=https\nhost=example.org\nusername=u\npassword=p\n\n", "credential", "approve")
	defer user("", "credential-cache", "--socket", socket, "exit")
	for range 2 {
		if c, ok := o.fill(t.Context(), s); !ok || c.secret != "p" {
			t.Errorf("got %v, %t", c, ok)
		}
	}
}
