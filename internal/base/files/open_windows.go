package files

import "errors"

// Windows has neither flag. Its named pipes are separate from files, and creating links needs a privilege.
const nonBlock, noFollow = 0, 0

// ErrLink means that a path is a link where no link is allowed.
var ErrLink = errors.New("a symbolic link, which is not followed here")

func explain(_ string, err error) error { return err }
