package sandbox_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// The suite has three processes: the test, a launcher and the attacker. The launcher plays the role of aura and may run as an
// ordinary user. It starts the attacker as aura would, and the attacker confines itself.
const (
	stageLaunch = "__launch"
	stageAttack = "__attack"
)

// secret is in the launcher's environment and in the file that no other process may read.
const secret = "secret-of-the-suite"

// quickExit keeps the race detector from waiting for a second at the end of each process.
const quickExit = "GORACE=atexit_sleep_ms=0"

// keptFD is the descriptor of the launcher's open file in the attacker. keptPidfd is the descriptor of the launcher's process.
const (
	keptFD    = 9
	keptPidfd = 10
)

func init() {
	stages[stageLaunch] = func() int { return answer(launch) }
	stages[stageAttack] = func() int { return answer(attack) }
}

// scene holds what all three processes need to know.
type scene struct {
	Attack  string
	Exe     string
	Base    string
	Isolate bool
	// Policy is nil in the control.
	Policy    *sandbox.Policy
	Isolation sandbox.Isolation
	// The following fields belong to the launcher.
	Pid      int
	Abstract string
	TCP, UDP string
	Shm      int
}

func (s scene) path(parts ...string) string {
	return filepath.Join(append([]string{s.Base}, parts...)...)
}

// outcome is the result of an attack. Err is empty if the attack succeeded.
type outcome struct {
	Err    string
	Report sandbox.Report
	// Fault is a failure of the suite itself.
	Fault string
}

func answer(play func(scene) outcome) int {
	var s scene
	if err := json.NewDecoder(os.Stdin).Decode(&s); err != nil {
		return 1
	}
	if json.NewEncoder(os.Stdout).Encode(play(s)) != nil {
		return 1
	}
	return 0
}

// launch opens what the attacker must not reach, and starts the attacker.
func launch(s scene) outcome {
	var closers []io.Closer
	defer func() {
		for _, c := range closers {
			_ = c.Close()
		}
	}()
	// Any process may trace this one, so that attacks on this process do not fail for lack of that permission.
	_ = unix.Prctl(unix.PR_SET_PTRACER, unix.PR_SET_PTRACER_ANY, 0, 0, 0)
	s.Pid = os.Getpid()
	s.Abstract = fmt.Sprintf("@aura-suite-%d", s.Pid)
	for _, addr := range []string{s.Abstract, s.path("work", "socket"), s.path("other-plugin.sock")} {
		_ = os.Remove(addr)
		l, err := net.Listen("unix", addr)
		if err != nil {
			return outcome{Fault: err.Error()}
		}
		closers = append(closers, l)
	}
	dgram, err1 := net.ListenPacket("unixgram", s.path("work", "datagrams"))
	tcp, err2 := net.Listen("tcp", "127.0.0.1:0")
	udp, err3 := net.ListenPacket("udp", "127.0.0.1:0")
	kept, err4 := os.Open(s.path("home", ".ssh", "id_rsa"))
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return outcome{Fault: err.Error()}
	}
	closers = append(closers, dgram, tcp, udp, kept)
	s.TCP, s.UDP = tcp.Addr().String(), udp.LocalAddr().String()
	if s.Shm, err1 = unix.SysvShmGet(unix.IPC_PRIVATE, 4096, 0o600); err1 != nil {
		return outcome{Fault: err1.Error()}
	}
	// Every user finds the queue by its key. Several launchers share it, so none removes it.
	if _, _, errno := unix.Syscall(unix.SYS_MSGGET, messageKey, unix.IPC_CREAT|0o666, 0); errno != 0 {
		return outcome{Fault: errno.Error()}
	}
	// The segment is removed when this process ends.
	defer func() { _, _ = unix.SysvShmCtl(s.Shm, unix.IPC_RMID, nil) }()
	return s.spawn(kept)
}

func (s scene) spawn(kept *os.File) outcome {
	attr := &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if s.Isolate {
		process.OwnMounts.Apply(attr)
		s.Isolation = sandbox.Isolation{Processes: true, Mounts: true}
	}
	in, err := json.Marshal(s)
	if err != nil {
		return outcome{Fault: err.Error()}
	}
	pidfd, err := unix.PidfdOpen(s.Pid, 0)
	if err != nil {
		return outcome{Fault: err.Error()}
	}
	files := make([]*os.File, keptPidfd-2)
	files[keptFD-3], files[keptPidfd-3] = kept, os.NewFile(uintptr(pidfd), "pidfd")
	var out bytes.Buffer
	cmd := exec.Command(s.Exe, stageAttack)
	cmd.Dir, cmd.Env = s.path("work"), []string{"PATH=/usr/bin:/bin", quickExit}
	cmd.Stdin, cmd.Stdout, cmd.ExtraFiles, cmd.SysProcAttr = bytes.NewReader(in), &out, files, attr
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && !exit.Exited() {
			return outcome{Err: "killed: " + exit.String()}
		}
		return outcome{Fault: fmt.Sprintf("starting the attacker: %v: %s", err, stderr.String())}
	}
	var o outcome
	if err := json.Unmarshal(out.Bytes(), &o); err != nil {
		return outcome{Fault: fmt.Sprintf("reading the attacker's answer: %v: %s%s", err, out.String(), stderr.String())}
	}
	return o
}

// attack confines this process, except in the control, and runs the attack.
func attack(s scene) outcome {
	var o outcome
	onOldThread := oldThread()
	if s.Policy != nil {
		if err := sandbox.CloseInherited(); err != nil {
			return outcome{Fault: err.Error()}
		}
		report, err := sandbox.Confine(*s.Policy, s.Isolation)
		if err != nil {
			return outcome{Fault: err.Error()}
		}
		o.Report = report
	}
	act, ok := attacks[s.Attack]
	if deed, isDeed := deeds[s.Attack]; isDeed {
		act, ok = deed, true
	}
	if !ok {
		return outcome{Fault: "no such attack"}
	}
	if err := onOldThread(func() error { return act.run(s) }); err != nil {
		o.Err = err.Error()
	}
	return o
}

// oldThread starts a thread and returns a function that runs work on it. A thread that is older than the confinement must be
// confined too.
func oldThread() func(func() error) error {
	work, done, begun := make(chan func() error), make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		close(begun)
		done <- (<-work)()
	}()
	<-begun
	return func(f func() error) error {
		work <- f
		return <-done
	}
}

// user is the user that the launcher runs as.
type user struct {
	name string
	id   int
}

const nobody = 65534

// users returns root and an ordinary user, or the current user if that is not root.
func users() []user {
	if os.Geteuid() != 0 {
		return []user{{"self", os.Geteuid()}}
	}
	return []user{{"root", 0}, {"ordinary", nobody}}
}

// play starts the launcher of a scene.
func (u user) play(t *testing.T, s scene) outcome {
	t.Helper()
	s.Exe = s.path("bin", "suite")
	in, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(s.Exe, stageLaunch)
	cmd.Dir, cmd.Env = s.Base, []string{"SECRET=" + secret, "PATH=/usr/bin:/bin", quickExit}
	cmd.Stdin = bytes.NewReader(in)
	if u.id != os.Geteuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(u.id), Gid: uint32(u.id)}}
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("launching: %v: %s", err, stderr.String())
	}
	var o outcome
	if err := json.Unmarshal(out, &o); err != nil {
		t.Fatalf("reading %q: %v", out, err)
	}
	if o.Fault != "" {
		t.Fatal(o.Fault)
	}
	return o
}

// layout creates the directories of a scene and returns their root. No tree that a policy grants contains the root.
func (u user) layout(t *testing.T) string {
	t.Helper()
	base, err := os.MkdirTemp(scenes, "") //nolint:usetesting // it is removed with all other scenes
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{scenes, base} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"home/.ssh/id_rsa": secret, "home/.bashrc": "", "home/.aura/config/hooks/a.yaml": "", "home/dir/file": "",
		"work/main.go": "package main\n", "work/.git/HEAD": "", "work/.git/config": "", "work/.git/hooks/pre-push": "",
		"work/.aura/config/features/a.yaml": "", "work/.aura/plugins/p/main.go": "", "work/.aura/extensions/e.py": "",
		"work/src/parts/p/main.go": "", "work/behind/main.go": "",
		"work/common/hooks/a.yaml": "", "work/common/far.yaml": "", "work/common/turns.yaml": "", "work/common/more.go": "", "work/common/modes/a.md": "",
		"work/common/pre-commit.sh": "", "work/common/gitconfig": "",
		"work/svc/.env": secret, "work/svc/main.go": "", "work/conf/prod.key": secret,
		"tmp/aura-session/lock": secret, "data/x": "", "m/x": "",
		"repo/.git/HEAD": "", "repo/.git/config": "", "repo/.git/hooks/x": "", "linked/.git": "gitdir: ../repo/.git/worktrees/linked\n",
		"repo/.git/worktrees/linked/HEAD": "", "repo/.git/worktrees/linked/commondir": "../..\n",
		"repo/.git/worktrees/linked/config.worktree": "",
	} {
		path := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"work/linked-plugin": "behind", "work/.aura/config/hooks": "../../common/hooks", "work/common/hooks/far.yaml": "../far.yaml",
		"work/.aura/config/turns.yaml": "../../common/turns.yaml", "work/.aura/plugins/p/more.go": "../../../common/more.go",
		"home/.aura/config/modes":    "../../../work/common/modes",
		"work/.git/hooks/pre-commit": "../../common/pre-commit.sh", "home/.gitconfig": "../work/common/gitconfig",
	} {
		if err := os.Symlink(target, filepath.Join(base, link)); err != nil {
			t.Fatal(err)
		}
	}
	copyBinary(t, filepath.Join(base, "bin", "suite"))
	err = filepath.WalkDir(base, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, u.id, u.id))
	})
	if err != nil && os.Geteuid() == 0 {
		t.Fatal(err)
	}
	return base
}

// copyBinary links or copies the test's binary to a place where an ordinary user can start it.
func copyBinary(t *testing.T, to string) {
	t.Helper()
	from, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if os.Link(from, to) == nil {
		return
	}
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o755); err != nil {
		t.Fatal(err)
	}
}

// policy returns the default policy for the scene.
func (s scene) policy(kind sandbox.Kind) *sandbox.Policy {
	p := sandbox.Default(sandbox.Place{
		Workdir: s.path("work"), Home: s.path("home"), DataDir: s.path("data"), Temp: s.path("tmp"),
		Own: []string{s.path("bin", "suite")}, Hidden: []string{s.path("tmp", "aura-session")},
		Settings: []string{s.path("home", ".aura")},
	}, kind)
	return &p
}
