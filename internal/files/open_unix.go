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

// ErrLink means that a path that must not be a link is one.
var ErrLink = errors.New("a symbolic link, which is not followed here")

// explain says what the kernel's answer means here: a pipe without a reader is ENXIO, a link that is not followed is ELOOP.
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
