package host

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// sameUser returns an error unless a process of the same user is at the other end.
func sameUser(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return fmt.Errorf("finding out who asks: %w", err)
	}
	var peer *unix.Xucred
	var failed error
	err = raw.Control(func(fd uintptr) { peer, failed = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED) })
	if err == nil {
		err = failed
	}
	if err != nil {
		return fmt.Errorf("finding out who asks: %w", err)
	}
	return ourOwn(peer.Uid, os.Geteuid())
}
