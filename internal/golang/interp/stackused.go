//go:build amd64 || arm64

package interp

// canMeasureStack is whether stackUsed works on this processor.
const canMeasureStack = true

// stackUsed returns the current goroutine and how much of its stack it uses, in bytes.
func stackUsed() (routine, used uintptr)
