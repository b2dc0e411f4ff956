//go:build !unix

package readguard

// nonblock is not needed on systems without pipes in the file system.
const nonblock = 0
