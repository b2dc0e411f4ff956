//go:build !unix

package readguard

// nonblock is not needed where pipes are not in the file system.
const nonblock = 0
