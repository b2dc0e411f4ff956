// Package stack gives goroutines that are known to need a large stack one at once.
package stack

// room is how much stack Grow provides, in bytes.
const room = 40 << 10

// never is always false, which the compiler does not know.
var never bool

// Grow makes sure that the stack of the calling goroutine has room. A stack that grows step by step is copied at each step, and all pointers into
// it are adjusted, frame by frame; so the first frames of a deep call should not have to grow it. Memory is used only as far as the stack reaches.
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
