package files

import "errors"

// Windows has neither flag. Named pipes lie apart from files there, and links need a privilege.
const nonBlock, noFollow = 0, 0

// ErrLink means that a path that must not be a link is one.
var ErrLink = errors.New("a symbolic link, which is not followed here")

func explain(_ string, err error) error { return err }
