//go:build linux || darwin

package host

import (
	"errors"
	"fmt"
	"net"
	"os"
)

// sameUser returns an error unless a process of the same user is at the other end.
func sameUser(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return fmt.Errorf("finding out who asks: %w", err)
	}
	var peer uint32
	var failed error
	err = raw.Control(func(fd uintptr) { peer, failed = peerUser(int(fd)) })
	if err := errors.Join(err, failed); err != nil {
		return fmt.Errorf("finding out who asks: %w", err)
	}
	return ourOwn(peer, os.Geteuid())
}

func ourOwn(peer uint32, own int) error {
	if int64(peer) != int64(own) {
		return errors.New("the session belongs to another user")
	}
	return nil
}
