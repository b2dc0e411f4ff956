//go:build linux

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/sandbox"
)

// outsideRoot is a directory that anybody can write to and that no policy grants, unlike the one for temporary files.
const outsideRoot = "/var/tmp"

// cageSecret is what must not be read.
const cageSecret = "secret-of-the-cage"

// newCaged makes a project outside of what every policy grants, with the user's home beside it.
func newCaged(t *testing.T) *project {
	t.Helper()
	base, err := os.MkdirTemp(outsideRoot, "aura-e2e-") //nolint:usetesting // it must not be where everybody may write
	if err != nil {
		t.Skipf("there is no place outside of the sandbox: %v", err)
	}
	p := newProject(t)
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	p.check(os.CopyFS(filepath.Join(base, "work"), os.DirFS(p.dir)))
	p.dir = filepath.Join(base, "work")
	for name, content := range map[string]string{
		"../home/.ssh/id_rsa": cageSecret, "../home/.bash_history": cageSecret, "../home/dir/file": "x", "../home/tmp/x": "",
		".git/config": "[core]\n", ".git/hooks/sample": "", ".aura/extensions/none": "",
	} {
		p.write(name, content)
	}
	// Descriptor 7 is one that aura has from whoever started it.
	p.wrapper = []string{
		"env", "HOME=" + p.path("../home"), "XDG_CACHE_HOME=", "TMPDIR=" + p.path("../home/tmp"), "AURA_E2E_TOKEN=" + cageSecret,
		"sh", "-c", `test -e aura.pid || echo $$ >aura.pid; exec "$@" 7<../home/.ssh/id_rsa`, "sh",
	}
	return p
}

// hand makes the project another user's, for whom aura is then run.
func (p *project) hand(id int) {
	p.t.Helper()
	if id == os.Geteuid() {
		return
	}
	p.user = &syscall.Credential{Uid: uint32(id), Gid: uint32(id)}
	p.check(os.Chmod(bin, 0o755))
	for _, root := range []string{filepath.Dir(p.dir), p.runtime} {
		p.check(filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(path, id, id))
		}))
	}
}

// cageUsers are root and an ordinary user, or whoever runs the tests if that is not root.
func cageUsers() []int {
	if os.Geteuid() != 0 {
		return []int{os.Geteuid()}
	}
	return []int{0, nobody}
}

// onlyRoot are attacks in which an ordinary user has no success even without a sandbox.
var onlyRoot = []string{"mount", "bpf", "raw_socket", "packet_socket"}

// everRefused are attacks in which a plugin never has success: aura hands no descriptor to it, with a sandbox or without.
var everRefused = []string{"descriptor_of_aura", "descriptor_of_aura_proc"}

// The bombs. Where nothing limits them they are small.
const (
	smallBomb   = 64
	pluginBomb  = 700
	threadsBomb = 5000
)

// TestSandboxEscapes attacks from a hook, a plugin's tool and Bash, as root and as an ordinary user: with the sandbox nothing has
// success, and without it everything has.
func TestSandboxEscapes(t *testing.T) {
	t.Parallel()
	if s := sandbox.Support(); !s.Enabled {
		t.Skip(s.Reason())
	}
	weapon, err := weapon()
	if err != nil {
		t.Fatal(err)
	}
	for _, uid := range cageUsers() {
		t.Run(fmt.Sprint(uid), func(t *testing.T) {
			t.Parallel()
			runs := map[string]map[string]string{}
			for _, kind := range []string{"on", "off", "off_no_namespaces"} {
				runs[kind] = map[string]string{}
			}
			t.Run("runs", func(t *testing.T) {
				for kind, found := range runs {
					t.Run(kind, func(t *testing.T) {
						t.Parallel()
						attackFrom(t, uid, kind, weapon, found)
					})
				}
			})
			if !t.Failed() {
				judge(t, uid, runs["on"], runs["off"], runs["off_no_namespaces"])
			}
		})
	}
}

// judge compares the attacks in the sandbox with those outside. Without a sandbox a plugin still has a process namespace where
// there are any, so that some attacks only have success where there are none.
func judge(t *testing.T, uid int, on map[string]string, off ...map[string]string) {
	t.Helper()
	if len(on) < 100 {
		t.Errorf("only %d attacks took place", len(on))
	}
	for attack, said := range on {
		way, name, _ := strings.Cut(attack, "/")
		if said == "success" {
			t.Errorf("%s had success in the sandbox", attack)
		}
		if uid != 0 && slices.Contains(onlyRoot, name) || way != "bash" && slices.Contains(everRefused, name) {
			continue
		}
		if !slices.ContainsFunc(off, func(r map[string]string) bool { return r[attack] == "success" }) {
			t.Errorf("%s proves nothing: without a sandbox it was %q and %q", attack, off[0][attack], off[1][attack])
		}
		t.Logf("%s: %s", attack, said)
	}
}

// attackFrom runs one session with attacks and collects how they ended.
func attackFrom(t *testing.T, uid int, kind, weapon string, found map[string]string) {
	t.Helper()
	p := newCaged(t)
	p.plugin("attacker", "description: Attacks\ntimeout: 60s\n", "")
	p.check(os.Remove(p.path(".aura/plugins/attacker/main.go")))
	for _, name := range []string{"attacks.go", "plugin.go"} {
		b, err := os.ReadFile(filepath.Join("testdata/sandbox/escape", name))
		p.check(err)
		p.write(".aura/plugins/attacker/"+name, string(b))
	}
	threads := smallBomb
	enabled := "false"
	if kind == "on" {
		threads, enabled = threadsBomb, "true"
	}
	p.write(".aura/config/features/plugins.yaml", "plugins: {unsafe: true}\n")
	p.write(".aura/config/sandbox/sandbox.yaml", "sandbox: {enabled: "+enabled+", network: off}\n")
	p.write(".aura/config/talk.yaml", fmt.Sprintf(`turns:
  - tool_calls: [{name: Attack, arguments: {}}]
  - tool_calls: [{name: Bash, arguments: {command: "%s && (%s bomb %d >bomb.txt 2>&1 || true)"}}]
  - text: All done.
`, weapon, weapon, threads))
	p.hand(uid)
	if kind == "off_no_namespaces" {
		inner := p.wrapper
		p.forbidNamespaces()
		p.wrapper = append(p.wrapper, inner...)
	}
	a := p.start("run", "go")
	p.layScene(kind)
	if code := a.wait(); code != 0 {
		t.Fatalf("exit code %d\n%s", code, p.stderr())
	}
	for _, way := range []string{"hook", "tool", "bash"} {
		for line := range strings.Lines(string(p.read("result-" + way))) {
			name, said, _ := strings.Cut(strings.TrimSpace(line), "=")
			found[way+"/"+name] = said
		}
	}
	// A program in Bash may have more processes than a plugin, so its bomb is another one.
	found["bash/fork_bomb"] = "refused: " + string(p.read("bomb.txt"))[:min(100, len(p.read("bomb.txt")))]
	if strings.Contains(string(p.read("bomb.txt")), "all threads live") {
		found["bash/fork_bomb"] = "success"
	}
	p.noTrace()
}

// weapon compiles the attacks into a program beside aura.
var weapon = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "aura-e2e-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, name := range []string{"attacks.go", "main.go"} {
		b, err := os.ReadFile(filepath.Join("testdata/sandbox/escape", name))
		text := strings.Replace(string(b), "package attacker", "package main", 1)
		if err := errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)); err != nil {
			return "", err
		}
	}
	out := filepath.Join(bin, "weapon")
	cmd := exec.Command("go", "build", "-o", out, "attacks.go", "main.go")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GO111MODULE=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building: %w\n%s", err, text)
	}
	return out, nil
})

// layScene makes what is attacked and tells the attackers where it is.
func (p *project) layScene(kind string) {
	p.t.Helper()
	p.await("aura.pid", `\d+\n`)
	listener := func(network, address string) net.Addr {
		l, err := net.Listen(network, address)
		p.check(err)
		p.t.Cleanup(func() { _ = l.Close() })
		return l.Addr()
	}
	readable := p.path("socket")
	listener("unix", readable)
	p.check(os.Chmod(readable, 0o777)) //nolint:gosec // it is there to be reached
	abstract := "@" + filepath.Base(filepath.Dir(p.dir))
	listener("unix", abstract)
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	p.check(err)
	p.t.Cleanup(func() { _ = udp.Close() })
	var aura, bomb int
	_, err = fmt.Sscan(string(p.read("aura.pid")), &aura)
	p.check(err)
	if bomb = smallBomb; kind == "on" {
		bomb = pluginBomb
	}
	other := p.pidOnce("witness")
	scene := map[string]any{
		"Base": filepath.Dir(p.dir), "Secret": cageSecret, "Aura": aura, "Other": other, "Fork": bomb,
		"OtherSocket": p.socketOf(other), "Readable": readable, "Abstract": abstract, "TCP": listener("tcp", "127.0.0.1:0").String(),
		"UDP": udp.LocalAddr().String(), "IOUring": unix.SYS_IO_URING_SETUP, "BPF": unix.SYS_BPF, "Memfd": unix.SYS_MEMFD_CREATE,
		"PidfdOpen": unix.SYS_PIDFD_OPEN, "PidfdGetfd": unix.SYS_PIDFD_GETFD, "Unshare": unix.SYS_UNSHARE, "Ptrace": unix.SYS_PTRACE,
	}
	b, err := json.Marshal(scene)
	p.check(err)
	p.write("scene.tmp", string(b))
	p.check(os.Rename(p.path("scene.tmp"), p.path("scene.json")))
}

// pidOnce waits until a plugin runs and returns its process.
func (p *project) pidOnce(plugin string) int {
	p.t.Helper()
	pid := 0
	p.until("plugin "+plugin, func() bool {
		out, err := p.command("plugins", "show", plugin, "--json").Output()
		p.check(err)
		pid, err = pidIn(out)
		return err == nil
	})
	return pid
}

// sockets are those of the plugins in the project's session.
func (p *project) sockets() []string {
	p.t.Helper()
	var out []string
	p.check(filepath.WalkDir(p.runtime, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type()&os.ModeSocket != 0 {
			out = append(out, path)
		}
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	}))
	return out
}

// socketOf is the socket that a process listens on.
func (p *project) socketOf(pid int) string {
	p.t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/unix", pid))
	p.check(err)
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	p.check(err)
	for _, link := range links {
		target, err := os.Readlink(link)
		if err != nil {
			continue
		}
		inode := strings.TrimSuffix(strings.TrimPrefix(target, "socket:["), "]")
		for line := range strings.Lines(string(b)) {
			if f := strings.Fields(line); len(f) == 8 && f[6] == inode && slices.Contains(p.sockets(), f[7]) {
				return f[7]
			}
		}
	}
	p.t.Fatalf("process %d listens on no socket of %q", pid, p.sockets())
	return ""
}
