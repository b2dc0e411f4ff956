package box

import "runtime"

// Callers is runtime.Callers for vendored packages. It finds no functions, because those that run are the interpreter's.
func Callers(int, []uintptr) int { return 0 }

// CallersFrames is runtime.CallersFrames for what Callers finds.
func CallersFrames([]uintptr) *runtime.Frames { return runtime.CallersFrames(nil) }

// FuncForPC is runtime.FuncForPC, which knows no function of the source.
func FuncForPC(uintptr) *runtime.Func { return nil }
