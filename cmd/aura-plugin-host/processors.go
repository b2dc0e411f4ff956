package main

import (
	"runtime"
	"sync"
	"time"
)

// processors is how many there are to use.
var processors = runtime.GOMAXPROCS(0)

// narrow makes the process use one processor. Most calls are short and come one at a time; with more than one the runtime wakes
// threads to look for work that is not there, which makes a short call a third slower and takes time from aura itself.
func narrow() { runtime.GOMAXPROCS(1) }

// widen gives the plugin all processors, for good.
var widen = sync.OnceFunc(func() { runtime.GOMAXPROCS(processors) })

// longCall is after which time a plugin is taken for one that computes.
const longCall = 20 * time.Millisecond

// attend widens the process if the call that begins now takes long. The caller calls done when it has ended.
func attend() (done func()) {
	timer := time.AfterFunc(longCall, widen)
	return func() { timer.Stop() }
}
