package attacker

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strings"
	"syscall"
)

const (
	cloneSysvSem = 0x40000
	sysAdmin     = 21
	netRaw       = 13
	mfdNoexec    = 8
	seize        = 0x4206
	interrupt    = 0x4207
	detach       = 17
	mptcpNumber  = 262
)

// at is the address of a value, for a call of the kernel.
func at(pointer any) int { return int(reflect.ValueOf(pointer).Pointer()) }

func calls(nr, a, b, c int) error {
	_, _, errno := syscall.Syscall6(uintptr(nr), uintptr(a), uintptr(b), uintptr(c), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// opened makes a call that returns a descriptor.
func opened(nr, a, b, c int) (int, error) {
	fd, _, errno := syscall.Syscall(uintptr(nr), uintptr(a), uintptr(b), uintptr(c))
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}

func signals(s scene) error {
	fd, err := opened(s.PidfdOpen, s.Aura, 0, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	return calls(s.PidfdSendSignal, fd, int(syscall.SIGURG), 0)
}

// takes takes a descriptor out of another process, which needs the right to attach to it.
func takes(s scene, pid, number int, want string) error {
	fd, err := opened(s.PidfdOpen, pid, 0, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	taken, err := opened(s.PidfdGetfd, fd, number, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(taken)
	if want == "" {
		return nil
	}
	b := make([]byte, 100)
	n, err := syscall.Pread(taken, b, 0)
	if err == nil && !strings.Contains(string(b[:n]), want) {
		return errors.New("the secret is not there")
	}
	return err
}

// traces attaches to a process, and lets go of it for the next who tries: nobody can be traced twice. All of it is one thread's.
func traces(s scene, pid int) error {
	var failed error
	done := make(chan bool)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if failed = calls(s.Ptrace, seize, pid, 0); failed == nil {
			failed = letGo(s, pid)
		}
		done <- true
	}()
	<-done
	return failed
}

// letGo stops a process that is traced, since only then the tracing can end.
func letGo(s scene, pid int) error {
	const anyThread = 0x40000000
	if err := calls(s.Ptrace, interrupt, pid, 0); err != nil {
		return err
	}
	for {
		_, err := syscall.Wait4(pid, nil, anyThread, nil)
		if err == nil {
			break
		}
		if err != syscall.EINTR {
			return err
		}
	}
	return calls(s.Ptrace, detach, pid, 0)
}

func ioUring(s scene) error {
	params := make([]byte, 120)
	fd, err := opened(s.IOUring, 1, at(&params[0]), 0)
	if err != nil {
		return err
	}
	return syscall.Close(fd)
}

// bpf makes a map. Where the system lets only root do that, it asks about one: any other user is answered too.
func bpf(s scene) error {
	attr := make([]uint32, 32)
	attr[0], attr[1], attr[2], attr[3] = 2, 4, 4, 1
	fd, err := opened(s.BPF, 0, at(&attr[0]), 128)
	if err == nil {
		return syscall.Close(fd)
	}
	lookup := make([]uint32, 32)
	lookup[0] = 1 << 30
	if asked := calls(s.BPF, 1, at(&lookup[0]), 128); asked != syscall.EBADF {
		return fmt.Errorf("%v; %v", err, asked)
	}
	return nil
}

// inNamespaces starts the weapon in a user namespace, where everybody has the capability, and in others that belong to it.
func inNamespaces(s scene, flags, capability int, args ...string) error {
	cmd := exec.Command(s.Weapon, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: uintptr(syscall.CLONE_NEWUSER | flags)}
	if capability != 0 {
		cmd.SysProcAttr.AmbientCaps = []uintptr{uintptr(capability)}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%v: %s", err, out)
	}
	return nil
}

// exchanges lets two directories change places, and does it again.
func exchanges(s scene) error {
	const exchange = 2
	here := ^uintptr(99) // the working directory, which is -100
	from, to := []byte(s.path("work/.aura/config")+"\x00"), []byte(s.path("work/from")+"\x00")
	for i := 0; i < 2; i++ {
		_, _, errno := syscall.Syscall6(uintptr(s.Renameat2), here, uintptr(at(&from[0])), here, uintptr(at(&to[0])), exchange, 0)
		if errno != 0 {
			return errno
		}
	}
	return nil
}

// mounts mounts a directory over another one: here, and in a namespace that any user can have.
func mounts(s scene, from, to string) error {
	here := bindMount(from, to)
	if here == nil {
		return nil
	}
	if err := inNamespaces(s, syscall.CLONE_NEWNS, sysAdmin, "mount", from, to); err != nil {
		return fmt.Errorf("%v; %v", here, err)
	}
	return nil
}

// bindMount wants to see the file of the one directory in the other.
func bindMount(from, to string) error {
	if err := syscall.Mount(from, to, "", syscall.MS_BIND, ""); err != nil {
		return err
	}
	_, err := os.Stat(to + "/file")
	_ = syscall.Unmount(to, syscall.MNT_DETACH)
	return err
}

// memfdExec runs a program that is in no file.
func memfdExec(s scene) error {
	program, err := os.ReadFile("/bin/echo")
	if err != nil {
		return err
	}
	var failed []string
	for _, flags := range []int{0, mfdNoexec} {
		said, err := runMemfd(s, program, flags)
		if err == nil && said == "out of memory\n" {
			return nil
		}
		failed = append(failed, fmt.Sprintf("flags %d: %q, %v", flags, said, err))
	}
	return errors.New(strings.Join(failed, "; "))
}

func runMemfd(s scene, program []byte, flags int) (string, error) {
	name := []byte("x\x00")
	fd, err := opened(s.Memfd, at(&name[0]), flags, 0)
	if err != nil {
		return "", err
	}
	defer syscall.Close(fd)
	for rest := program; len(rest) > 0; {
		n, err := syscall.Write(fd, rest)
		if err != nil {
			return "", err
		}
		rest = rest[n:]
	}
	_ = syscall.Fchmod(fd, 0700)
	cmd := exec.Command(fmt.Sprintf("/proc/self/fd/%d", fd), "out of memory")
	cmd.Args[0] = "echo"
	out, err := cmd.Output()
	return string(out), err
}

func mptcp(s scene) error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, mptcpNumber)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	to := &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}
	if _, err := fmt.Sscanf(s.TCP, "127.0.0.1:%d", &to.Port); err != nil {
		return err
	}
	if err := syscall.Connect(fd, to); err != nil {
		return err
	}
	_, err = syscall.Write(fd, []byte("x"))
	return err
}

// socket makes a raw socket: here, and in namespaces that any user can have.
func socket(s scene, kind string, domain, protocol int) error {
	here := rawSocket(domain, protocol)
	if here == nil {
		return nil
	}
	if err := inNamespaces(s, syscall.CLONE_NEWNET, netRaw, kind); err != nil {
		return fmt.Errorf("%v; %v", here, err)
	}
	return nil
}

func rawSocket(domain, protocol int) error {
	fd, err := syscall.Socket(domain, syscall.SOCK_RAW, protocol)
	if err != nil {
		return err
	}
	return syscall.Close(fd)
}
