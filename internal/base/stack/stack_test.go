package stack

import (
	"runtime"
	"testing"
)

// TestGrow compares the memory that is in use for stacks with and without grown goroutines.
func TestGrow(t *testing.T) {
	const goroutines = 100
	used := func(f func()) uint64 {
		var before, during runtime.MemStats
		runtime.ReadMemStats(&before)
		ready, end := make(chan struct{}), make(chan struct{})
		for range goroutines {
			go func() {
				f()
				ready <- struct{}{}
				<-end
			}()
		}
		for range goroutines {
			<-ready
		}
		runtime.ReadMemStats(&during)
		close(end)
		return during.StackInuse - min(before.StackInuse, during.StackInuse)
	}
	if got := used(Grow); got < goroutines*room {
		t.Errorf("the stacks of %d goroutines grew by %d bytes, want at least %d", goroutines, got, goroutines*room)
	}
}
