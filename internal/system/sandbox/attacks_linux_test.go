package sandbox_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/sandbox"
)

// weapon is one attack.
type weapon struct {
	// run returns nil if the attack succeeded.
	run func(scene) error
	// change turns the default policy of a plugin into the policy under attack.
	change func(*sandbox.Policy)
	// mounts is true if only a mount or process namespace prevents the attack.
	mounts bool
	// isolatedControl runs the control in namespaces, so that the control does not change the machine.
	isolatedControl bool
	// root is true if an ordinary user fails even without a sandbox.
	root bool
}

func networkOff(p *sandbox.Policy) { p.Network = false }

// parentWritable makes a writable tree contain the working directory.
func parentWritable(p *sandbox.Policy) {
	p.ReadWrite = append(p.ReadWrite, filepath.Dir(p.ReadWrite[0]))
}

func shell(p *sandbox.Policy) { p.Exec = true }

// linkedTree adds a linked working tree of Git whose repository is writable too.
func linkedTree(p *sandbox.Policy) {
	base := filepath.Dir(p.ReadWrite[0])
	tree := filepath.Join(base, "linked")
	p.ReadWrite = append(p.ReadWrite, tree, filepath.Join(base, "repo"))
	p.Protected = sandbox.Default(sandbox.Place{Workdir: tree}, sandbox.KindShell).Protected
}

// hiddenSocket allows connections to the sockets of other processes, except one hidden socket.
func hiddenSocket(p *sandbox.Policy) {
	p.UnixSockets = true
	p.Hidden = append(p.Hidden, filepath.Join(filepath.Dir(p.ReadWrite[0]), "other-plugin.sock"))
}

// pluginElsewhere loads plugins from a directory inside the working directory, and from a link there.
func pluginElsewhere(p *sandbox.Policy) {
	work := p.ReadWrite[0]
	place := sandbox.Place{Workdir: work, Sources: []string{filepath.Join(work, "src/parts"), filepath.Join(work, "linked-plugin")}}
	p.Protected = sandbox.Default(place, sandbox.KindPlugin).Protected
}

var attacks = map[string]weapon{
	// Files.
	"read a secret":      {run: func(s scene) error { return reads(s.path("home/.ssh/id_rsa"), secret) }},
	"list the home":      {run: func(s scene) error { _, err := os.ReadDir(s.path("home")); return err }},
	"write outside":      {run: func(s scene) error { return os.WriteFile(s.path("home/new"), nil, 0o600) }},
	"append outside":     {run: func(s scene) error { return appendTo(s.path("home/.bashrc")) }},
	"truncate outside":   {run: func(s scene) error { return os.Truncate(s.path("home/.bashrc"), 0) }},
	"remove outside":     {run: func(s scene) error { return os.Remove(s.path("home/dir/file")) }},
	"write by a symlink": {run: bySymlink},
	"read by a symlink":  {run: readBySymlink},
	"read by a hard link": {run: func(s scene) error {
		link := s.path("work/hard")
		_ = os.Remove(link)
		return errors.Join(os.Link(s.path("home/.ssh/id_rsa"), link), reads(link, secret))
	}},
	"write by a renamed directory": {run: func(s scene) error {
		if err := os.Rename(s.path("home/dir"), s.path("work/dir")); err != nil {
			return err
		}
		return os.WriteFile(s.path("work/dir/file"), []byte("x"), 0o600)
	}},
	"chmod outside": {mounts: true, run: func(s scene) error { return os.Chmod(s.path("home/.bashrc"), 0o777) }},
	"chmod aura's config at home": {mounts: true, run: func(s scene) error {
		return os.Chmod(s.path("home/.aura/config/hooks/a.yaml"), 0o777)
	}},
	"chmod aura's config":  {mounts: true, run: func(s scene) error { return os.Chmod(s.path("work/.aura/config/features/a.yaml"), 0o777) }},
	"rename aura's config": {mounts: true, run: func(s scene) error { return os.Rename(s.path("work/.aura/config"), s.path("work/.aura/c")) }},
	"replace aura's home": {mounts: true, run: func(s scene) error {
		return errors.Join(os.Rename(s.path("work/.aura"), s.path("work/.old")), os.Mkdir(s.path("work/.aura"), 0o755))
	}},
	"rename the working directory": {mounts: true, change: parentWritable, run: func(s scene) error {
		return os.Rename(s.path("work"), s.path("moved"))
	}},
	"write aura's config":                        {mounts: true, run: func(s scene) error { return os.WriteFile(s.path("work/.aura/config/x.yaml"), nil, 0o600) }},
	"write a plugin":                             {mounts: true, run: func(s scene) error { return appendTo(s.path("work/.aura/plugins/p/main.go")) }},
	"write an extension":                         {mounts: true, run: func(s scene) error { return appendTo(s.path("work/.aura/extensions/e.py")) }},
	"write a linked file of aura's config":       {mounts: true, run: func(s scene) error { return appendTo(s.path("work/common/turns.yaml")) }},
	"write in a linked folder of hooks":          {mounts: true, run: func(s scene) error { return os.WriteFile(s.path("work/common/hooks/x.yaml"), nil, 0o600) }},
	"replace a linked folder of hooks":           {mounts: true, run: func(s scene) error { return os.Rename(s.path("work/common"), s.path("work/x")) }},
	"write what a link in a linked folder names": {mounts: true, run: func(s scene) error { return appendTo(s.path("work/common/far.yaml")) }},
	"write a linked source file of a plugin":     {mounts: true, run: func(s scene) error { return appendTo(s.path("work/common/more.go")) }},
	"write a linked folder of the user's home":   {mounts: true, run: func(s scene) error { return appendTo(s.path("work/common/modes/a.md")) }},
	"write a Git hook":                           {mounts: true, run: func(s scene) error { return os.WriteFile(s.path("work/.git/hooks/x"), nil, 0o700) }},
	"write a linked Git hook":                    {mounts: true, run: func(s scene) error { return appendTo(s.path("work/common/pre-commit.sh")) }},
	"write the user's linked Git settings":       {mounts: true, run: func(s scene) error { return appendTo(s.path("work/common/gitconfig")) }},
	"write Git's settings":                       {mounts: true, run: func(s scene) error { return appendTo(s.path("work/.git/config")) }},
	"link a plugin":                              {mounts: true, run: linkPlugin},
	"replace Git's hooks":                        {mounts: true, run: func(s scene) error { return os.Rename(s.path("work/.git"), s.path("work/.git2")) }},
	"write a plugin elsewhere":                   {mounts: true, change: pluginElsewhere, run: func(s scene) error { return appendTo(s.path("work/src/parts/p/main.go")) }},
	"move a plugin elsewhere":                    {mounts: true, change: pluginElsewhere, run: func(s scene) error { return os.Rename(s.path("work/src"), s.path("work/x")) }},
	"write a linked plugin":                      {mounts: true, change: pluginElsewhere, run: func(s scene) error { return appendTo(s.path("work/behind/main.go")) }},
	"write a hook of a linked tree": {mounts: true, change: linkedTree, run: func(s scene) error {
		return os.WriteFile(s.path("repo/.git/hooks/y"), nil, 0o700)
	}},
	"write settings of a linked tree":     {mounts: true, change: linkedTree, run: func(s scene) error { return appendTo(s.path("repo/.git/config")) }},
	"write own settings of a linked tree": {mounts: true, change: linkedTree, run: func(s scene) error { return appendTo(s.path("repo/.git/worktrees/linked/config.worktree")) }},
	"lead a linked tree elsewhere":        {mounts: true, change: linkedTree, run: func(s scene) error { return appendTo(s.path("repo/.git/worktrees/linked/commondir")) }},
	"replace the link of a tree": {mounts: true, change: linkedTree, run: func(s scene) error {
		return os.Rename(s.path("repo/.git/HEAD"), s.path("linked/.git"))
	}},
	"move the repository of a tree": {mounts: true, change: linkedTree, run: func(s scene) error { return os.Rename(s.path("repo/.git"), s.path("repo/x")) }},
	"read a hidden file":            {mounts: true, run: func(s scene) error { return reads(s.path("tmp/aura-session/lock"), secret) }},
	"descriptor from aura":          {run: func(scene) error { return readsFD(keptFD, secret) }},
	"reopen the descriptor":         {run: func(scene) error { return reads(fmt.Sprintf("/proc/self/fd/%d", keptFD), secret) }},

	// Processes.
	"parent's environment": {run: parentEnvironment},
	"parent's memory":      {run: func(s scene) error { return opens(fmt.Sprintf("/proc/%d/mem", s.Pid)) }},
	"parent's files by proc": {run: func(s scene) error {
		_, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.Pid))
		return err
	}},
	"root by proc": {run: func(s scene) error {
		return reads(fmt.Sprintf("/proc/%d/root%s", s.Pid, s.path("home/.ssh/id_rsa")), secret)
	}},
	"signal aura":                      {run: func(s scene) error { return unix.Kill(s.Pid, 0) }},
	"signal by pidfd":                  {run: signalByPidfd},
	"signal by a descriptor from aura": {run: func(scene) error { return unix.PidfdSendSignal(keptPidfd, 0, nil, 0) }},
	"trace aura":                       {run: func(s scene) error { return call(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(s.Pid), 0, 0) }},
	"read aura's memory":               {run: readMemory},
	"take a descriptor":                {run: takeDescriptor},
	"change aura's limit":              {run: func(s scene) error { return unix.Prlimit(s.Pid, unix.RLIMIT_NOFILE, nil, &unix.Rlimit{}) }},
	"start a program":                  {run: func(scene) error { return exec.Command("/bin/true").Run() }},
	"memfd exec":                       {change: shell, run: memfdExec},
	"many processes":                   {change: shell, mounts: true, isolatedControl: true, run: manyProcesses},

	// Sockets.
	"abstract socket":           {run: func(s scene) error { return connects("unix", s.Abstract) }},
	"abstract socket, shell":    {change: shell, run: func(s scene) error { return connects("unix", s.Abstract) }},
	"other plugin's socket":     {run: func(s scene) error { return connects("unix", s.path("other-plugin.sock")) }},
	"socket in a readable tree": {run: func(s scene) error { return connects("unix", s.path("work/socket")) }},
	"hidden socket":             {mounts: true, change: hiddenSocket, run: func(s scene) error { return connects("unix", s.path("other-plugin.sock")) }},
	"datagram by a pair":        {run: datagramByPair},
	"TCP":                       {change: networkOff, run: func(s scene) error { return connects("tcp", s.TCP) }},
	"TCP listener":              {change: networkOff, run: func(scene) error { return listens("tcp", "127.0.0.1:0") }},
	"UDP":                       {change: networkOff, run: func(s scene) error { return connects("udp", s.UDP) }},
	"MPTCP":                     {change: networkOff, run: func(scene) error { return socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP) }},
	"raw socket, no network":    {root: true, change: networkOff, run: func(scene) error { return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP) }},
	"raw socket":                {root: true, run: func(scene) error { return socket(unix.AF_INET6, unix.SOCK_RAW, unix.IPPROTO_ICMPV6) }},
	"packet socket":             {root: true, run: func(scene) error { return socket(unix.AF_PACKET, unix.SOCK_RAW, 0) }},
	"netlink socket":            {run: func(scene) error { return socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE) }},

	// Access to the kernel.
	"io_uring":       {run: ioUring},
	"bpf":            {root: true, run: bpfMap},
	"unshare":        {run: func(scene) error { return call(unix.SYS_UNSHARE, unix.CLONE_FILES, 0, 0, 0) }},
	"user namespace": {change: shell, run: userNamespace},
	"mount":          {isolatedControl: true, run: mountTmpfs},
	"perf event":     {run: perfEvent},
	"userfaultfd":    {root: true, run: func(scene) error { return call(unix.SYS_USERFAULTFD, unix.O_CLOEXEC, 0, 0, 0) }},
	"keyring":        {run: func(scene) error { return call(unix.SYS_KEYCTL, unix.KEYCTL_GET_KEYRING_ID, ^uintptr(3), 0, 0) }},
	"set the time":   {root: true, run: func(scene) error { return call(unix.SYS_ADJTIMEX, uintptr(unsafe.Pointer(&unix.Timex{})), 0, 0, 0) }},
	"file by handle": {run: fileHandle},
	"chroot":         {root: true, isolatedControl: true, run: func(s scene) error { return unix.Chroot(s.path("work")) }},
	"own capability": {root: true, run: func(s scene) error { return os.Chown(s.path("work/main.go"), 1, 1) }},
	"shared memory": {run: func(s scene) error {
		_, err := unix.SysvShmAttach(s.Shm, 0, unix.SHM_RDONLY)
		return err
	}},
	// The tests of compiled plugins show that the program itself may be started.
	"another program": {change: func(p *sandbox.Policy) { p.Program = p.ReadWrite[0] + "/main.go" }, run: func(scene) error { return exec.Command("/bin/true").Run() }},
	"executable data": {run: func(scene) error {
		return call(unix.SYS_MEMFD_CREATE, uintptr(unsafe.Pointer(&[]byte("x\x00")[0])), 0, 0, 0)
	}},
}

func init() {
	for name, line := range map[string]string{
		"read a secret":   "cat $BASE/home/.ssh/id_rsa",
		"write outside":   "echo >$BASE/home/new",
		"environment":     "grep -aqs " + secret + " /proc/$PID/environ /proc/$PPID/environ /proc/1/environ /proc/[0-9]*/task/*/environ",
		"signal aura":     "kill -0 $PID",
		"config":          "chmod 777 $BASE/work/.aura/config/features/a.yaml",
		"move the config": "mv $BASE/work/.aura $BASE/work/moved && mkdir $BASE/work/.aura",
		"Git hook":        "echo >$BASE/work/.git/hooks/pre-commit",
		"Git's settings":  "cd $BASE/work && cp main.go .git/config",
		"hidden":          "cat $BASE/tmp/aura-session/lock",
		"namespace":       "unshare -U true",
		"descriptor":      fmt.Sprintf("cat <&%d", keptFD),
	} {
		attacks["shell: "+name] = weapon{change: shell, mounts: true, run: func(s scene) error { return sh(s, line) }}
	}
	for name, nr := range foreignCalls {
		// Any result means that the filter let the call through.
		attacks[name] = weapon{run: func(scene) error { _ = call(nr, 0, 0, 0, 0); return nil }}
	}
}

// sh runs a command line.
func sh(s scene, line string) error {
	cmd := exec.Command("/bin/sh", "-c", line)
	cmd.Env = append(os.Environ(), "BASE="+s.Base, fmt.Sprintf("PID=%d", s.Pid))
	// Programs inherit the descriptors that their parent does not mark close-on-exec.
	if _, err := unix.FcntlInt(keptFD, unix.F_SETFD, 0); err == nil {
		cmd.ExtraFiles = make([]*os.File, keptFD-2)
		cmd.ExtraFiles[keptFD-3] = os.NewFile(keptFD, "kept")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

func reads(path, want string) error {
	b, err := os.ReadFile(path)
	if err == nil && !strings.Contains(string(b), want) {
		return fmt.Errorf("%s does not hold the secret", path)
	}
	return err
}

func readsFD(fd int, want string) error {
	b := make([]byte, 100)
	n, err := unix.Pread(fd, b, 0)
	if err == nil && !strings.Contains(string(b[:n]), want) {
		return errors.New("no secret there")
	}
	return err
}

func opens(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
}

func appendTo(path string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString("\n")
	return errors.Join(err, f.Close())
}

func bySymlink(s scene) error {
	link := s.path("work/link")
	_ = os.Remove(link)
	if err := os.Symlink(s.path("home"), link); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(link, "through"), nil, 0o600)
}

func readBySymlink(s scene) error {
	link := s.path("tmp/link")
	_ = os.Remove(link)
	if err := os.Symlink("../home/.ssh/id_rsa", link); err != nil {
		return err
	}
	return reads(link, secret)
}

func linkPlugin(s scene) error {
	link := s.path("work/linked")
	_ = os.Remove(link)
	return errors.Join(os.Link(s.path("work/.aura/plugins/p/main.go"), link), appendTo(link))
}

// parentEnvironment tries every visible process, through every file that leads to an environment.
func parentEnvironment(s scene) error {
	names := []string{"environ", "task/%d/environ", "cwd/../proc/%d/environ"}
	pids := []string{fmt.Sprint(s.Pid), fmt.Sprint(os.Getppid()), "1"}
	if entries, err := os.ReadDir("/proc"); err == nil {
		for _, e := range entries {
			pids = append(pids, e.Name())
		}
	}
	for _, pid := range pids {
		for _, name := range names {
			path := "/proc/" + pid + "/" + strings.ReplaceAll(name, "%d", pid)
			if b, err := os.ReadFile(path); err == nil && strings.Contains(string(b), secret) {
				return nil
			}
		}
	}
	return errors.New("no process shows the secret")
}

func call(nr, a, b, c, d uintptr) error {
	if _, _, errno := unix.Syscall6(nr, a, b, c, d, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

func signalByPidfd(s scene) error {
	fd, err := unix.PidfdOpen(s.Pid, 0)
	if err != nil {
		return err
	}
	return unix.PidfdSendSignal(fd, 0, nil, 0)
}

func readMemory(s scene) error {
	// The call only checks whether access is allowed: nothing is mapped at the address.
	b := make([]byte, 8)
	_, err := unix.ProcessVMReadv(s.Pid, []unix.Iovec{{Base: &b[0], Len: 8}}, []unix.RemoteIovec{{Base: 4096, Len: 8}}, 0)
	if errors.Is(err, unix.EFAULT) {
		return nil
	}
	return err
}

func takeDescriptor(s scene) error {
	fd, err := unix.PidfdOpen(s.Pid, 0)
	if err != nil {
		return err
	}
	_, err = unix.PidfdGetfd(fd, 0, 0)
	return err
}

func memfdExec(scene) error {
	fd, err := unix.MemfdCreate("x", 0)
	if err != nil {
		return err
	}
	program, err := os.ReadFile("/bin/true")
	if err != nil {
		return err
	}
	if _, err := unix.Write(fd, program); err != nil {
		return err
	}
	return exec.Command(fmt.Sprintf("/proc/self/fd/%d", fd)).Run()
}

// bomb is a number of processes above the limit of the suite.
const bomb = 400

func manyProcesses(scene) error {
	for range bomb {
		if err := exec.Command("/bin/sleep", "60").Start(); err != nil {
			return err
		}
	}
	return nil
}

func connects(network, address string) error {
	c, err := net.Dial(network, address)
	if err != nil {
		return err
	}
	_, err = c.Write([]byte("x"))
	return errors.Join(err, c.Close())
}

func listens(network, address string) error {
	l, err := net.Listen(network, address)
	if err != nil {
		return err
	}
	return l.Close()
}

func socket(domain, kind, protocol int) error {
	fd, err := unix.Socket(domain, kind, protocol)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func datagramByPair(s scene) error {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	return unix.Sendto(fds[0], []byte("x"), 0, &unix.SockaddrUnix{Name: s.path("work/datagrams")})
}

func ioUring(scene) error {
	params := make([]byte, 120)
	return call(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params[0])), 0, 0)
}

func bpfMap(scene) error {
	attr := make([]uint32, 32)
	attr[0], attr[1], attr[2], attr[3] = unix.BPF_MAP_TYPE_ARRAY, 4, 4, 1
	return call(unix.SYS_BPF, unix.BPF_MAP_CREATE, uintptr(unsafe.Pointer(&attr[0])), 128, 0)
}

func userNamespace(scene) error {
	cmd := exec.Command("/bin/true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
	return cmd.Run()
}

func mountTmpfs(s scene) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	return unix.Mount("tmpfs", s.path("m"), "tmpfs", 0, "")
}

func perfEvent(scene) error {
	attr := &unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_DUMMY, Bits: unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv}
	attr.Size = uint32(unsafe.Sizeof(*attr))
	_, err := unix.PerfEventOpen(attr, 0, -1, -1, 0)
	return err
}

func fileHandle(s scene) error {
	_, _, err := unix.NameToHandleAt(unix.AT_FDCWD, s.path("home/.bashrc"), 0)
	return err
}
