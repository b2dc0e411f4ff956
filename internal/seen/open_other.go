//go:build !unix

package seen

// nonblock is not needed where pipes are not in the file system.
const nonblock = 0
