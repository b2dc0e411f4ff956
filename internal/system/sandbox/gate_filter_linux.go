//go:build linux && (amd64 || arm64)

package sandbox

import (
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// filterGate refuses the system calls that the gate does not need, on all threads: those that are refused to confined processes, and
// whatever starts a process, waits for connections, or opens a socket that is not one of IP. The kernel names the addresses of this machine over
// netlink.
func filterGate() error {
	f := startFilter(watchCalls)
	for _, nr := range append([]uint32{
		unix.SYS_EXECVE, unix.SYS_EXECVEAT, unix.SYS_SOCKETPAIR, unix.SYS_LISTEN, unix.SYS_MEMFD_CREATE, unix.SYS_KILL, unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_SEND_SIGNAL,
	}, append(forkCalls, ipcCalls...)...) {
		f.on(nr, refuse(unix.EPERM))
	}
	f.on(unix.SYS_CLONE, unlessBits(0, unix.CLONE_THREAD, unix.EPERM)...)
	f.on(unix.SYS_PRLIMIT64, unlessOne(0, 0)...)
	f.on(unix.SYS_SOCKET, gateFamilies()...)
	return f.install()
}

// gateFamilies allows stream and datagram sockets of IP, and netlink about devices and addresses.
func gateFamilies() []bpf.Instruction {
	return append([]bpf.Instruction{
		bpf.LoadAbsolute{Off: offArg(0), Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_NETLINK, SkipFalse: 4},
		bpf.LoadAbsolute{Off: offArg(2), Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.NETLINK_ROUTE, SkipFalse: 1},
		allow,
		refuse(unix.EPERM),
	}, sockets(Policy{Network: true})...)
}
