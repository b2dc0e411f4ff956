//go:build linux || darwin

package host

import "errors"

func ourOwn(peer uint32, own int) error {
	if int64(peer) != int64(own) {
		return errors.New("the session belongs to another user")
	}
	return nil
}
