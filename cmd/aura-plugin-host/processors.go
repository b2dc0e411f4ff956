package main

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idelchi/aura/cmd/aura-plugin-host/internal/first"
)

// processors is the number of processors that aura granted; 0 means all.
var processors atomic.Int64

// widen gives the plugin its processors, permanently. Until then the process uses one: most calls are short and arrive one at a time.
// With more processors, the runtime wakes threads that find no work, which makes a short call a third slower and takes time from aura itself.
var widen = sync.OnceFunc(func() {
	n := first.Processors
	if granted := int(processors.Load()); granted > 0 {
		n = min(n, granted)
	}
	runtime.GOMAXPROCS(n)
})

// longCall is the duration after which a call is assumed to be compute-intensive.
const longCall = 20 * time.Millisecond

// attend calls widen if the call that begins now takes long. The caller must call done when the call has ended.
func attend() (done func()) {
	timer := time.AfterFunc(longCall, widen)
	return func() { timer.Stop() }
}
