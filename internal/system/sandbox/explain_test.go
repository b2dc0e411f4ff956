package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/sandbox"
)

// TestExplain has a row for each complaint that is explained, and for complaints that are not.
func TestExplain(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(root, "work")
	for _, dir := range []string{"work/.git/hooks", "work/sub", "work/closed/.git/logs/refs", "home", "lib"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	policy := sandbox.Policy{
		Hidden:    []string{filepath.Join(work, ".env")},
		ReadWrite: []string{work}, ReadOnly: []string{filepath.Join(root, "lib"), filepath.Join(root, "home", ".netrc")},
		Protected: []string{
			filepath.Join(work, ".git", "config"), filepath.Join(work, ".git", "hooks"), filepath.Join(work, ".aura"),
			filepath.Join(work, "tree", ".git"), filepath.Join(work, ".git", "worktrees", "tree", "gitdir"), filepath.Join(work, "closed", ".git"),
		},
	}
	policy.Home = filepath.Join(root, "home")
	rows := map[string]struct {
		give string
		want []string // nil means no explanation
	}{
		"git config":           {"error: could not lock config file .git/config: Read-only file system\n", []string{"[sandbox] writing .git/config", "refused by the sandbox", "stays read-only", "git -c NAME=VALUE", "git config"}},
		"git branch -m":        {"error: could not write config file .git/config: Device or resource busy\nfatal: Branch is renamed, but update of config-file failed\n", []string{"stays read-only", "The branch was renamed nevertheless, without its settings"}},
		"git branch, closed":   {"error: unable to move logfile logs/refs/heads/main to logs/refs/.tmp-renamed-log: Read-only file system\n", []string{"closed/.git stays read-only", "ask the user"}},
		"git config, renamed":  {"error: could not write config file .git/config: Device or resource busy", []string{"stays read-only", "git -c"}},
		"from elsewhere":       {"error: could not lock config file ../x/.git/config: Permission denied", []string{"reading or writing ../x/.git/config", "no path of ro or rw covers it; sandbox.extra.ro can add one; sandbox.extra.rw can add one"}},
		"not granted":          {"cat: " + root + "/other: Permission denied", []string{"reading or writing " + root + "/other", "sandbox.extra.ro"}},
		"not granted, written": {"touch: " + root + "/other: Read-only file system", []string{"writing " + root + "/other", "no path of rw covers it"}},
		"hidden":               {"cat: ./.env: Permission denied", []string{"reading or writing ./.env", "is hidden"}},
		"a secret":             {"tee: " + root + "/home/.ssh/id_rsa: Permission denied", []string{"reading or writing", "home/.ssh is a place of secrets; only the user can read or change it. If"}},
		"a granted secret":     {"tee: " + root + "/home/.netrc: Read-only file system", []string{"writing", "home/.netrc is a place of secrets; only the user can read or change it. If"}},
		"a secret, written":    {"tee: " + root + "/home/.ssh/id_rsa: Read-only file system", []string{"writing", "home/.ssh is a place of secrets; only the user can read or change it. If"}},
		"the end of a path":    {"error: could not lock config file .git/hooks/pre-commit: Permission denied", []string{".git/hooks stays read-only", "ask the user"}},
		"global config":        {"error: could not lock config file " + root + "/home/.gitconfig: Permission denied", []string{"sandbox.extra.rw", "git -c"}},
		"in quotes":            {"touch: cannot touch '.aura/x': Read-only file system", []string{".aura stays read-only", "ask the user"}},
		"shell":                {"bash: line 1: " + root + "/lib/x: Permission denied", []string{"sandbox.extra.rw can make it writable"}},
		"among other lines":    {"one\ntwo\nrm: cannot remove '.git/hooks': Device or resource busy\nthree\n", []string{".git/hooks stays read-only"}},
		"a linked tree":        {"error: failed to delete '" + work + "/tree': Device or resource busy", []string{"tree/.git stays read-only", "git worktree remove"}},
		"its settings":         {"error: failed to delete '.git/worktrees/tree': Device or resource busy", []string{"tree/gitdir stays read-only", "git worktree remove"}},
		"above, not busy":      {"touch: cannot touch '" + work + "/tree': Permission denied", nil},
		"allowed":              {"bash: sub/x: Permission denied", nil},
		"another fault":        {"error: could not lock config file .git/config: File exists", nil},
		"no path":              {"ls: Permission denied", nil},
		"no complaint":         {".git/config", nil},
	}
	for about, row := range rows {
		got, denied := sandbox.Explain(policy, work, row.give)
		if (denied == nil) != (got == "") {
			t.Errorf("%s: got %q about %+v", about, got, denied)
		}
		if len(row.want) == 0 && got != "" || len(row.want) > 0 && got == "" || strings.Contains(got, "\n") {
			t.Errorf("%s: got %q", about, got)
		}
		for _, want := range row.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: got %q, without %q", about, got, want)
			}
		}
	}
	// A command that changed its directory prints only the end of the path.
	if got, _ := sandbox.Explain(policy, filepath.Join(work, "sub"), "could not lock config file .git/config: Permission denied"); !strings.Contains(got, "stays read-only") {
		t.Errorf("from a subdirectory: got %q", got)
	}
}

// TestExplainMissing checks that a file that is not granted is explained where such files have no names, and others are not.
func TestExplainMissing(t *testing.T) {
	t.Parallel()
	policy := sandbox.Policy{ReadWrite: []string{"/p/work"}, ReadOnly: []string{"/usr"}}
	policy.Home = "/p"
	for output, want := range map[string]string{
		"cat: ../diary.txt: No such file or directory":     "[sandbox] ../diary.txt is not granted for reading, so it cannot be seen here, whether it exists or not: no path of ro or rw covers it; sandbox.extra.ro can add one. If",
		"cat: /p/.ssh/id_rsa: No such file or directory\n": "[sandbox] /p/.ssh/id_rsa is not granted for reading, so it cannot be seen here, whether it exists or not: /p/.ssh is a place of secrets; only the user can read or change it. If",
		"cat: sub/none: No such file or directory":         "",
		"cat: /usr/none: No such file or directory":        "",
		"env: 'none': No such file or directory":           "",
		"cat: /p/.ssh/id_rsa: Is a directory":              "",
	} {
		got, _ := sandbox.ExplainMissing(policy, "/p/work", output)
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", output, got, want)
		}
	}
}
