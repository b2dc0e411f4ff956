//go:build unix

package files

import (
	"errors"
	"syscall"
)

const (
	nonBlock = syscall.O_NONBLOCK | syscall.O_NOCTTY
	noFollow = syscall.O_NOFOLLOW
)

// ErrLink means that a path is a link where no link is allowed.
var ErrLink = errors.New("a symbolic link, which is not followed here")

// explain translates the kernel's error: ENXIO means a pipe without a reader, and ELOOP means a link that is not followed.
func explain(path string, err error) error {
	switch {
	case errors.Is(err, syscall.ENXIO), errors.Is(err, syscall.ENODEV):
		return fault("open", path, ErrNotRegular)
	case errors.Is(err, syscall.ELOOP):
		return fault("open", path, ErrLink)
	default:
		return err
	}
}
