//go:build linux

package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

func init() {
	commands["commit"] = commit
	commands["githttp"] = gitHTTP
	commands["gitssh"] = gitSSH
	commands["pack"] = gitPack
	preparations["git"] = preparation{begin: beginGit}
}

// beginGit lets scripts install plugins from git servers on this machine.
func beginGit(t *testing.T, _ string) testscript.Params {
	t.Helper()
	vars := append(harness.GoVars(t), "GOPROXY=off", "GOFLAGS=")
	return testscript.Params{Setup: func(env *testscript.Env) error {
		env.Vars = append(env.Vars, vars...)
		return harness.Setup(env)
	}}
}

// commit DIR MESSAGE [TAG] commits everything in DIR. It creates the repository if there is none. It moves a tag that exists.
func commit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: commit DIR MESSAGE [TAG]")
	}
	dir := ts.MkAbs(args[0])
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		git(ts, dir, "init", "-q", "-b", "main", ".")
	}
	git(ts, dir, "add", "-A")
	git(ts, dir, "commit", "-q", "--allow-empty", "-m", args[1])
	if len(args) == 3 {
		git(ts, dir, "tag", "-f", args[2])
	}
}

// pack DIR packs all objects of a repository into one file, like on a server.
func gitPack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: pack DIR")
	}
	git(ts, ts.MkAbs(args[0]), "gc", "-q")
}

// git runs git in a repository, without the configuration of the user who runs the tests.
func git(ts *testscript.TestScript, dir string, args ...string) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + ts.Getenv("WORK"), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=tester", "GIT_AUTHOR_EMAIL=tester@example.com",
		"GIT_COMMITTER_NAME=tester", "GIT_COMMITTER_EMAIL=tester@example.com",
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		ts.Fatalf("git %v: %v\n%s", args, err, out)
	}
}
