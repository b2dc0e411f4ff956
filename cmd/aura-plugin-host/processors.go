package main

import (
	"runtime"
	"sync"
	"time"
)

// processors is the number of available processors.
var processors = runtime.GOMAXPROCS(0)

// narrow makes the process use one processor. Most calls are short and arrive one at a time. With more processors, the runtime
// wakes threads that find no work, which makes a short call a third slower and takes time from aura itself.
func narrow() { runtime.GOMAXPROCS(1) }

// widen gives the plugin all processors, permanently.
var widen = sync.OnceFunc(func() { runtime.GOMAXPROCS(processors) })

// longCall is the duration after which a call is assumed to be compute-intensive.
const longCall = 20 * time.Millisecond

// attend calls widen if the call that begins now takes long. The caller must call done when the call has ended.
func attend() (done func()) {
	timer := time.AfterFunc(longCall, widen)
	return func() { timer.Stop() }
}
