//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// The offsets of the data that a filter reads, as laid out by the kernel. Both architectures that have a filter here are
// little-endian, so the low half of an argument comes first.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
	argSize   = 8
)

// offArg returns the offset of the low half of an argument. The kernel treats the arguments that the filter checks as ints and
// ignores the high half.
func offArg(n uint32) uint32 { return offArgs + n*argSize }

// filterCalls installs the filter on all threads. unsafeCalls lists further calls that fail as if the kernel did not have them.
func filterCalls(p Policy, unsafeCalls []uint32) error {
	f := filterProgram(p, unsafeCalls)
	return f.install()
}

// install installs a filter, which allows what it does not mention, on all threads.
func (f filter) install() error {
	program, err := bpf.Assemble(append(f, allow))
	if err != nil {
		return fmt.Errorf("assembling the filter of system calls: %w", err)
	}
	code := make([]unix.SockFilter, 0, len(program))
	for _, i := range program {
		code = append(code, unix.SockFilter{Code: i.Op, Jt: i.Jt, Jf: i.Jf, K: i.K})
	}
	fprog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&fprog)))
	runtime.KeepAlive(code)
	switch {
	case errno != 0:
		return fmt.Errorf("filtering system calls: %w", errno)
	case thread != 0:
		return fmt.Errorf("filtering system calls: thread %d has another filter", thread)
	}
	return nil
}

// startFilter returns a filter that refuses what no process may do here. unsafeCalls lists further calls.
func startFilter(unsafeCalls []uint32) filter {
	f := filter{
		bpf.LoadAbsolute{Off: offArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS},
		bpf.LoadAbsolute{Off: offNumber, Size: 4},
		// Numbers with this bit belong to x32 on x86-64. Other architectures have no such numbers.
		bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: 0x40000000, SkipFalse: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS},
		// Calls that a later kernel adds are not known to be harmless.
		bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: lastCall, SkipFalse: 1},
		refuse(unix.ENOSYS),
	}
	for _, nr := range slices.Concat(unknownCalls, unsafeCalls) {
		f.on(nr, refuse(unix.ENOSYS))
	}
	for _, nr := range refusedCalls {
		f.on(nr, refuse(unix.EPERM))
	}
	for _, nr := range archRefusedCalls {
		f.on(nr, refuse(unix.EPERM))
	}
	return f
}

// filterProgram returns the policy as a filter.
func filterProgram(p Policy, unsafeCalls []uint32) filter {
	f := startFilter(unsafeCalls)
	if p.Exec || p.Program != "" {
		f.on(unix.SYS_EXECVEAT, onBits(4, unix.AT_EMPTY_PATH, unix.EPERM)...)
	} else {
		// The error is that of Landlock, which refuses programs for policies with one program.
		f.on(unix.SYS_EXECVE, refuse(unix.EACCES))
		f.on(unix.SYS_EXECVEAT, refuse(unix.EACCES))
	}
	f.on(unix.SYS_CLONE, onBits(0, cloneNamespaces, unix.EPERM)...)
	f.on(unix.SYS_MEMFD_CREATE, unlessBits(1, unix.MFD_NOEXEC_SEAL, unix.EPERM)...)
	f.on(unix.SYS_IOCTL, unlessNone(1, unix.TIOCSTI, unix.TIOCLINUX)...)
	f.on(unix.SYS_PRLIMIT64, unlessOne(0, 0)...)
	f.on(unix.SYS_PERSONALITY, unlessOne(0, 0, math.MaxUint32)...)
	f.on(unix.SYS_SOCKETPAIR, pairs()...)
	f.on(unix.SYS_SOCKET, sockets(p)...)
	return f
}

// filter is a program under construction. Between its parts, the register contains the number of the call.
type filter []bpf.Instruction

var allow = bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}

func refuse(errno unix.Errno) bpf.Instruction {
	return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(errno)}
}

// on adds a body that runs for one call. The body must always end in a return.
func (f *filter) on(nr uint32, body ...bpf.Instruction) {
	*f = append(*f, bpf.JumpIf{Cond: bpf.JumpEqual, Val: nr, SkipFalse: uint8(len(body))})
	*f = append(*f, body...)
}

// onBits refuses a call if an argument has any of the bits set.
func onBits(arg, bits uint32, errno unix.Errno) []bpf.Instruction {
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: offArg(arg), Size: 4},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: bits, SkipFalse: 1},
		refuse(errno),
		allow,
	}
}

// unlessBits refuses a call if an argument has none of the bits set.
func unlessBits(arg, bits uint32, errno unix.Errno) []bpf.Instruction {
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: offArg(arg), Size: 4},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: bits, SkipTrue: 1},
		refuse(errno),
		allow,
	}
}

// unlessOne refuses a call unless an argument is one of the values.
func unlessOne(arg uint32, values ...uint32) []bpf.Instruction {
	body := []bpf.Instruction{bpf.LoadAbsolute{Off: offArg(arg), Size: 4}}
	for _, v := range values {
		body = append(body, bpf.JumpIf{Cond: bpf.JumpEqual, Val: v, SkipFalse: 1}, allow)
	}
	return append(body, refuse(unix.EPERM))
}

// unlessNone refuses a call if an argument is one of the values.
func unlessNone(arg uint32, values ...uint32) []bpf.Instruction {
	body := []bpf.Instruction{bpf.LoadAbsolute{Off: offArg(arg), Size: 4}}
	for _, v := range values {
		body = append(body, bpf.JumpIf{Cond: bpf.JumpEqual, Val: v, SkipFalse: 1}, refuse(unix.EPERM))
	}
	return append(body, allow)
}

// typeMask removes the flags from the type of a socket.
const typeMask = 0xf

// pairs allows connected pairs of Unix stream and seqpacket sockets. A datagram socket of a pair could send to any address, and other
// families have code in the kernel that is not needed for pairs.
func pairs() []bpf.Instruction {
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: offArg(0), Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_UNIX, SkipTrue: 1},
		refuse(unix.EPERM),
		bpf.LoadAbsolute{Off: offArg(1), Size: 4},
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: typeMask},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SOCK_STREAM, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SOCK_SEQPACKET, SkipTrue: 1},
		refuse(unix.EPERM),
		allow,
	}
}

// sockets allows stream and datagram sockets of the families that the policy grants. It refuses all other families.
func sockets(p Policy) []bpf.Instruction {
	body := []bpf.Instruction{bpf.LoadAbsolute{Off: offArg(0), Size: 4}}
	if p.UnixSockets {
		body = append(body, bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_UNIX, SkipFalse: 1}, allow)
	}
	if !p.Network {
		return append(body, refuse(unix.EPERM))
	}
	return append(body,
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET6, SkipTrue: 1},
		refuse(unix.EPERM),
		bpf.LoadAbsolute{Off: offArg(1), Size: 4},
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: typeMask},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SOCK_STREAM, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SOCK_DGRAM, SkipTrue: 1},
		refuse(unix.EPERM),
		allow,
	)
}

// filterSupported returns an error if the kernel does not support filters for all threads at once.
func filterSupported() error {
	action := uint32(unix.SECCOMP_RET_KILL_PROCESS)
	const getActionAvail = 2
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, getActionAvail, 0, uintptr(unsafe.Pointer(&action)))
	if errno != 0 {
		return errors.New("the kernel has no filter of system calls (seccomp)")
	}
	return nil
}
