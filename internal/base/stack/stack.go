// Package stack gives goroutines that are known to need a large stack one at once.
package stack

// room is how much stack Grow provides, in bytes.
const room = 40 << 10

// never is always false, which the compiler does not know.
var never bool

// Grow makes room on the stack of the calling goroutine. Without it, the runtime enlarges the stack in steps and copies it at each step.
// Only the memory that the stack has reached is used.
//
//go:noinline
func Grow() {
	if never {
		// The frame of the function has room for this. It is not touched.
		var frame [room]byte
		touch(&frame)
	}
}

//go:noinline
func touch(frame *[room]byte) { frame[0] = 1 }
