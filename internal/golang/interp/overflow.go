package interp

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A goroutine that needs a larger stack gets one of twice the size, and its stack is copied, so that both exist for a moment. Interpreted functions
// need a lot of stack. So a deep call goes on in a goroutine of its own, a segment, and the caller waits for it.

// segmentSize is the size of the stack of a segment, in bytes. The next segment begins when seven eighths of it are used.
const segmentSize = 8 << 20

// stackEnd says how much stack a goroutine of the plugin may use, in bytes, and what is done with the report about one that needs more.
type stackEnd struct {
	most, segment int64
	end           func(report string)
}

// stackLimit is nil while only Go limits stacks.
var stackLimit atomic.Pointer[stackEnd]

// LimitStack calls end when the source of a plugin calls functions so deeply that a goroutine needs more stack than most, in bytes. end must end the
// process, as Go does, whose own report would show the functions of the interpreter. Go's limit must be larger than a segment.
func LimitStack(most int64, end func(report string)) {
	if canMeasureStack {
		stackLimit.Store(&stackEnd{most, segmentSize, end})
	}
}

// runCall is runNode for a node that calls a function of the source.
//
//go:noinline
func runCall(_ marked, own step, frame unsafe.Pointer) step {
	if l := stackLimit.Load(); l != nil {
		if g, used := stackUsed(); used > uintptr(l.segment/8*7) {
			return l.further(g, own, frame)
		}
	}
	return own(frame)
}

// segments holds the number of each running segment, by its goroutine, and from which goroutine the panics come that went through segments.
var segments struct {
	sync.Mutex

	numbers map[uintptr]int64
	origins map[string]string
}

// further executes a node in the next segment. Panics and the end of the goroutine go on in the caller.
func (l *stackEnd) further(g uintptr, own step, frame unsafe.Pointer) step {
	segments.Lock()
	number := segments.numbers[g] + 1
	segments.Unlock()
	if number >= l.most/l.segment {
		l.end(overflowing(stackText()))
	}
	var (
		next     step
		returned bool
		failed   any
		id       string
	)
	done := make(chan struct{})
	go func() {
		me, _ := stackUsed()
		segments.Lock()
		if segments.numbers == nil {
			segments.numbers = map[uintptr]int64{}
		}
		segments.numbers[me] = number
		segments.Unlock()
		defer func() {
			if !returned {
				if failed = recover(); failed != nil {
					id = goroutine()
				}
			}
			segments.Lock()
			delete(segments.numbers, me)
			segments.Unlock()
			close(done)
		}()
		next = own(frame)
		returned = true
	}()
	<-done
	switch {
	case returned:
	case failed == nil:
		runtime.Goexit()
	default:
		came(id)
		panic(failed)
	}
	return next
}

// came notes that the panic of another goroutine goes on in this one.
func came(from string) {
	segments.Lock()
	defer segments.Unlock()
	if first, ok := segments.origins[from]; ok {
		delete(segments.origins, from)
		from = first
	}
	if segments.origins == nil || len(segments.origins) >= traceLimit {
		segments.origins = map[string]string{}
	}
	segments.origins[goroutine()] = from
}

// origin returns the goroutine that the last panic of this one comes from, which may be this one.
func origin(id string) string {
	segments.Lock()
	defer segments.Unlock()
	if first, ok := segments.origins[id]; ok {
		return first
	}
	return id
}

// overflowFunctions is how many functions the report of a stack overflow has.
const overflowFunctions = 8

// overflowing reports a stack overflow, in the form of Go's.
func overflowing(trace string) string {
	var out strings.Builder
	list := inSource(trace)
	list = list[:min(len(list), overflowFunctions)]
	for _, p := range list {
		fmt.Fprintf(&out, "%s:%d: panic: %s(...)\n", p.file, p.line, p.function)
	}
	out.WriteString("fatal error: stack overflow\n\n")
	first, _, _ := strings.Cut(trace, "\n")
	out.WriteString(first + "\n")
	for _, p := range list {
		fmt.Fprintf(&out, "%s(...)\n\t%s:%d\n", p.function, p.file, p.line)
	}
	return out.String()
}
