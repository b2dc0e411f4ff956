//go:build unix

package docs

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience bounds one command; a command that needs it has failed.
const patience = 2 * time.Minute

// project is where a page happens: a home directory of a user who has nothing in it but a clone of aura, in aura/, if the page is
// the README, and an empty project/ otherwise.
type project struct {
	t    *testing.T
	home string
	// state keeps the shell's directory and variables from one command to the next.
	state string
	env   []string
}

func newProject(t *testing.T, page string) *project {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// The path of a socket must be short.
	runtime, err := os.MkdirTemp("", "ad")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(runtime) })
	p := &project{t: t, home: home, state: t.TempDir()}
	p.env = append(goEnv(t),
		"HOME="+home, "XDG_RUNTIME_DIR="+runtime, "XDG_CACHE_HOME="+filepath.Join(home, ".cache"), "STATE="+p.state, "LANG=C.UTF-8",
	)
	dir := filepath.Join(home, "project")
	if page == readme {
		dir = filepath.Join(home, "aura")
		err = copyTree(repo, dir)
		p.env = append(p.env, "PATH="+os.Getenv("PATH"))
	} else {
		err = os.Mkdir(dir, 0o755)
		p.env = append(p.env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(p.state, "cwd"), []byte(dir), 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(p.state, "env"), nil, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// goEnv lets the go command work without the user's home and keeps it off the network.
func goEnv(t *testing.T) []string {
	t.Helper()
	names := []string{"GOCACHE", "GOMODCACHE", "GOPATH"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"GOPROXY=off", "GOTOOLCHAIN=local", "GOFLAGS="}
	for i, value := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		env = append(env, names[i]+"="+value)
	}
	return env
}

// cwd is the current directory of the page's shell.
func (p *project) cwd() string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.state, "cwd"))
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// shell runs a command line as if all of a page were typed into one shell, and returns what both its streams got.
func (p *project) shell(line string) (string, error) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	script := ". \"$STATE/env\"\n" + line + "\nstatus=$?\nexport -p >\"$STATE/env\"\npwd >\"$STATE/cwd\"\nexit $status\n"
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", script)
	cmd.Dir, cmd.Env = p.cwd(), p.env
	// A group of its own can be ended as a whole.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	return output.String(), err
}
