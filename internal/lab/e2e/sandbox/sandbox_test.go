//go:build linux

package sandbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// success is what an attack prints if it was not refused.
const success = "success"

// cageSecret is the text that attacks must not read.
const cageSecret = "secret-of-the-cage"

// newCaged creates a project outside of the paths that every policy grants, with the user's home beside it.
func newCaged(t *testing.T) *harness.Project {
	t.Helper()
	base, err := os.MkdirTemp(harness.OutsideRoot, "aura-e2e-") //nolint:usetesting // it must not be where everybody may write
	if err != nil {
		testneed.Missing(t, testneed.Outside, err)
	}
	p := harness.NewProject(t)
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	p.Check(os.CopyFS(filepath.Join(base, "work"), os.DirFS(p.Dir)))
	p.Dir = filepath.Join(base, "work")
	for name, content := range map[string]string{
		"../home/.ssh/id_rsa": cageSecret, "../home/.bash_history": cageSecret, "../home/dir/file": "x", "../home/tmp/x": "",
		".git/config": "[core]\n\tbare = false\n", ".git/hooks/sample": "", ".aura/extensions/none": "", "../home/.aura/config/none.txt": "",
		"parts/none.txt": "", "from/file": "", "to/none": "",
	} {
		p.Write(name, content)
	}
	// aura inherits descriptor 7 from the process that started it.
	p.Wrapper = []string{
		"env", "HOME=" + p.Path("../home"), "XDG_CACHE_HOME=", "TMPDIR=" + p.Path("../home/tmp"), "AURA_E2E_TOKEN=" + cageSecret,
		"sh", "-c", `test -e aura.pid || echo $$ >aura.pid; exec "$@" 7<../home/.ssh/id_rsa`, "sh",
	}
	return p
}

// hand changes the owner of the project to another user. aura then runs as that user.
func hand(p *harness.Project, id int) {
	p.T.Helper()
	if id == os.Geteuid() {
		return
	}
	p.User = &syscall.Credential{Uid: uint32(id), Gid: uint32(id)}
	p.Check(os.Chmod(harness.Bin, 0o755))
	for _, root := range []string{cmp.Or(p.Root, filepath.Dir(p.Dir)), p.Runtime, p.StateHome} {
		p.Check(filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(path, id, id))
		}))
	}
}

// The environments of the attacks: with a sandbox and without, and both again where the system allows no process namespaces.
// There only Landlock and the system call filter protect, and without a sandbox nothing keeps a plugin from other processes.
const (
	confinedRun = "on"
	bareRun     = "on_no_namespaces"
	freeRun     = "off"
	freeBareRun = "off_no_namespaces"
)

// stake describes what the suite expects of an attack.
type stake struct {
	// control is the run without a sandbox in which the attack must succeed; otherwise its refusal proves nothing. With
	// namespaces a plugin has a process namespace even without a sandbox, so that it cannot refer to an outside process.
	control string
	// mounts reports whether only a private mount or process namespace refuses the attack. If there is none, aura reports it.
	mounts bool
}

// stakes has a row for every attack. Each attack runs from a hook, from a plugin's tool and from Bash, as root and as an
// ordinary user.
var stakes = map[string]stake{
	"read_ssh_key":           {control: freeRun},
	"read_history":           {control: freeRun},
	"list_home":              {control: freeRun},
	"environment":            {control: freeBareRun},
	"environment_of_thread":  {control: freeBareRun},
	"environment_by_root":    {control: freeBareRun},
	"environment_by_self":    {control: freeBareRun},
	"environment_in_memory":  {control: freeBareRun},
	"environment_of_anybody": {control: freeBareRun},
	"file_by_root":           {control: freeBareRun},
	"file_by_cwd":            {control: freeBareRun},
	"write_outside":          {control: freeRun},
	"write_by_symlink":       {control: freeRun},
	"write_by_renamed_dir":   {control: freeRun},
	"chmod_outside":          {control: freeRun, mounts: true},
	"chmod_config":           {control: freeRun, mounts: true},
	"chmod_users_config":     {control: freeRun, mounts: true},
	"rename_config":          {control: freeRun, mounts: true},
	"rename_users_config":    {control: freeRun},
	"rename_home":            {control: freeRun, mounts: true},
	"write_config":           {control: freeRun, mounts: true},
	"write_plugin":           {control: freeRun, mounts: true},
	"write_plugin_elsewhere": {control: freeRun, mounts: true},
	"write_extension":        {control: freeRun, mounts: true},
	"write_git_hook":         {control: freeRun, mounts: true},
	"write_git_config":       {control: freeRun, mounts: true},
	"link_ssh_key":           {control: freeRun},
	"link_config":            {control: freeRun, mounts: true},
	"link_git_config":        {control: freeRun, mounts: true},
	"exchange_config":        {control: freeRun, mounts: true},
	"write_by_dots":          {control: freeRun},
	"write_by_proc":          {control: freeRun},
	"config_by_dots":         {control: freeRun, mounts: true},
	"config_by_proc":         {control: freeRun, mounts: true},
	"config_by_symlink":      {control: freeRun, mounts: true},
	"signal_aura":            {control: freeBareRun},
	"signal_other":           {control: freeBareRun},
	"signal_by_pidfd":        {control: freeBareRun},
	"attach_aura":            {control: freeBareRun},
	"attach_other":           {control: freeBareRun},
	"ptrace_aura":            {control: freeBareRun},
	"ptrace_other":           {control: freeBareRun},
	"abstract_socket":        {control: freeRun},
	"other_plugins_socket":   {control: freeRun},
	"socket_in_readable_dir": {control: freeRun},
	"io_uring":               {control: freeRun},
	"bpf":                    {control: freeRun},
	"unshare":                {control: freeRun},
	"user_namespace":         {control: freeRun},
	"mount":                  {control: freeRun},
	"bind_home":              {control: freeRun},
	"bind_over_config":       {control: freeRun},
	"memfd_exec":             {control: freeRun},
	"tcp":                    {control: freeRun},
	"udp":                    {control: freeRun},
	"mptcp":                  {control: freeRun},
	"raw_socket":             {control: freeRun},
	"packet_socket":          {control: freeRun},
	"fork_bomb":              {control: freeRun, mounts: true},
	// A plugin closes inherited descriptors even without a sandbox. In its control the plugin opens the descriptor itself.
	"descriptor":         {control: freeRun},
	"descriptor_by_self": {control: freeRun},
	"descriptor_by_proc": {control: freeBareRun},
}

// The bombs exceed the limits of processes. Where there is no limit to test, they are small.
const (
	smallBomb  = 16
	pluginBomb = 600
	bashBomb   = 4200
)

// ways lists the origins of attacks.
var ways = []string{"hook", "tool", "bash"}

// TestSandboxEscapes attacks from a hook, a plugin's tool and Bash, as root and as an ordinary user: with the sandbox nothing has
// success, and without it everything has.
func TestSandboxEscapes(t *testing.T) {
	t.Parallel()
	if s := sandbox.Support(); !s.Enabled {
		testneed.Missing(t, testneed.Sandbox, s.Reason())
	}
	weapon, err := harness.Weapon()
	if err != nil {
		t.Fatal(err)
	}
	for _, uid := range harness.CageUsers() {
		t.Run(fmt.Sprint(uid), func(t *testing.T) {
			t.Parallel()
			runs := map[string]map[string]string{}
			for _, kind := range []string{confinedRun, bareRun, freeRun, freeBareRun} {
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
				judge(t, runs)
			}
		})
	}
}

// judge compares the attacks inside the sandbox with those outside.
func judge(t *testing.T, runs map[string]map[string]string) {
	t.Helper()
	for name, s := range stakes {
		for _, way := range ways {
			attack := way + "/" + name
			if got := runs[s.control][attack]; got != success {
				t.Errorf("%s proves nothing: without a sandbox, in the run %s, it was %q", attack, s.control, got)
			}
			for _, kind := range []string{confinedRun, bareRun} {
				switch got := runs[kind][attack]; {
				case kind == bareRun && s.mounts:
				case !strings.HasPrefix(got, "refused: "):
					t.Errorf("%s, in the run %s, was not refused: %q", attack, kind, got)
				default:
					t.Logf("%s, %s: %s", attack, kind, got)
				}
			}
		}
	}
	for kind, found := range runs {
		for attack := range found {
			if _, name, _ := strings.Cut(attack, "/"); stakes[name].control == "" {
				t.Errorf("the run %s has an attack that no row is about: %s", kind, attack)
			}
		}
	}
}

// attackFrom runs one session with attacks and records their results.
func attackFrom(t *testing.T, uid int, kind, weapon string, found map[string]string) {
	t.Helper()
	p := newCaged(t)
	p.Plugin("attacker", "description: Attacks\ntimeout: 60s\n", "")
	p.Check(os.Remove(p.Path(".aura/plugins/attacker/main.go")))
	for _, name := range []string{"attacks.go", "calls.go", "plugin.go"} {
		b, err := os.ReadFile(filepath.Join("../testdata/escape", name))
		p.Check(err)
		p.Write(".aura/plugins/attacker/"+name, string(b))
	}
	on := kind == confinedRun || kind == bareRun
	p.Write(".aura/config/features/plugins.yaml", "plugins: {unsafe: true}\n")
	p.Write("../home/.aura/config/features/plugins.yaml", "plugins: {dir: "+p.Path("parts")+"}\n")
	p.Write(".aura/config/sandbox/sandbox.yaml", fmt.Sprintf("sandbox: {enabled: %t, network: off, extra: {ro: [%s]}}\n", on, weapon))
	p.Write(".aura/config/talk.yaml", fmt.Sprintf(`turns:
  - tool_calls: [{name: Attack, arguments: {}}]
  - tool_calls: [{name: Bash, arguments: {command: "%s"}}]
  - text: All done.
`, weapon))
	hand(p, uid)
	if kind == bareRun || kind == freeBareRun {
		withoutNamespaces(p)
	}
	settings := p.Read(".git/config")
	a := p.Start("run", "go")
	layScene(p, kind, weapon)
	if code := a.Wait(); code != 0 {
		t.Fatalf("exit code %d\n%s", code, p.Stderr())
	}
	for _, way := range ways {
		result := string(p.Read("result-" + way))
		if result == "" {
			t.Fatalf("nothing was attacked from %s\n%s", way, p.Stderr())
		}
		for line := range strings.Lines(result) {
			name, said, _ := strings.Cut(strings.TrimSpace(line), "=")
			found[way+"/"+name] = said
		}
	}
	if kind == confinedRun && bytes.Equal(p.Read(".git/config"), settings) {
		// Programs that can start Git have a private copy of its settings.
		for _, who := range []string{"bash", "hook", "tool"} {
			found[who+"/write_git_config"] = "refused: the file itself is as it was"
		}
		p.Wants(p.Stderr(), `"core\.bare" in .*/\.git/config: refused by the sandbox`)
	}
	if kind == bareRun {
		// aura prints it after the plugins have started, before they are called.
		early, _, _ := strings.Cut(string(p.Stderr()), "> Attack")
		p.Wants([]byte(early), `/\.aura can be written by programs: that needs a mount namespace`,
			`/parts can be written by programs`, "modes, owners and times of files outside", "the number of processes is not limited")
	}
	p.NoTrace()
}

// layScene creates the targets of the attacks and tells the attackers their locations.
func layScene(p *harness.Project, kind, weapon string) {
	p.T.Helper()
	p.Await("aura.pid", `\d+\n`)
	listener := func(network, address string) net.Addr {
		l, err := net.Listen(network, address)
		p.Check(err)
		p.T.Cleanup(func() { _ = l.Close() })
		return l.Addr()
	}
	readable := p.Path("socket")
	listener("unix", readable)
	p.Check(os.Chmod(readable, 0o777)) //nolint:gosec // it is there to be reached
	abstract := "@" + filepath.Base(filepath.Dir(p.Dir))
	listener("unix", abstract)
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	p.Check(err)
	p.T.Cleanup(func() { _ = udp.Close() })
	var aura int
	_, err = fmt.Sscan(string(p.Read("aura.pid")), &aura)
	p.Check(err)
	fork, bashFork := smallBomb, smallBomb
	if kind == confinedRun || kind == freeRun {
		fork, bashFork = pluginBomb, bashBomb
	}
	other := pidOnce(p, "witness")
	scene := map[string]any{
		"Base": filepath.Dir(p.Dir), "Secret": cageSecret, "Weapon": weapon, "Aura": aura, "Other": other, "Fork": fork, "BashFork": bashFork,
		"OtherSocket": socketOf(p, other), "Readable": readable, "Abstract": abstract, "TCP": listener("tcp", "127.0.0.1:0").String(),
		"UDP": udp.LocalAddr().String(), "IOUring": unix.SYS_IO_URING_SETUP, "BPF": unix.SYS_BPF, "Memfd": unix.SYS_MEMFD_CREATE,
		"PidfdOpen": unix.SYS_PIDFD_OPEN, "PidfdGetfd": unix.SYS_PIDFD_GETFD, "PidfdSendSignal": unix.SYS_PIDFD_SEND_SIGNAL,
		"Unshare": unix.SYS_UNSHARE, "Ptrace": unix.SYS_PTRACE, "Renameat2": unix.SYS_RENAMEAT2, "Place": kind == freeRun || kind == freeBareRun,
	}
	b, err := json.Marshal(scene)
	p.Check(err)
	p.Write("scene.tmp", string(b))
	p.Check(os.Rename(p.Path("scene.tmp"), p.Path("scene.json")))
}

// pidOnce waits until a plugin runs and returns its process ID.
func pidOnce(p *harness.Project, plugin string) int {
	p.T.Helper()
	pid := 0
	p.Until("plugin "+plugin, func() bool {
		out, err := p.Command("plugins", "show", plugin, "--json").Output()
		p.Check(err)
		pid, err = harness.PIDIn(out)
		return err == nil
	})
	return pid
}

// sockets returns the sockets of the plugins in the project's session.
func sockets(p *harness.Project) []string {
	p.T.Helper()
	var out []string
	p.Check(filepath.WalkDir(p.Runtime, func(path string, d os.DirEntry, err error) error {
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

// socketOf returns the socket that a process listens on.
func socketOf(p *harness.Project, pid int) string {
	p.T.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/unix", pid))
	p.Check(err)
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	p.Check(err)
	for _, link := range links {
		target, err := os.Readlink(link)
		if err != nil {
			continue
		}
		inode := strings.TrimSuffix(strings.TrimPrefix(target, "socket:["), "]")
		for line := range strings.Lines(string(b)) {
			if f := strings.Fields(line); len(f) == 8 && f[6] == inode && slices.Contains(sockets(p), f[7]) {
				return f[7]
			}
		}
	}
	p.T.Fatalf("process %d listens on no socket of %q", pid, sockets(p))
	return ""
}
