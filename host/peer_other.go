//go:build !linux && !darwin

package host

import (
	"errors"
	"net"
)

// sameUser returns an error, because this system does not report which user is at the other end.
func sameUser(*net.UnixConn) error {
	return errors.New("this system does not report which user asks, so plugins cannot be restarted or quarantined from outside; use /reload in the session")
}
