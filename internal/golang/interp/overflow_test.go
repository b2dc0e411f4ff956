package interp

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// deepSource calls functions so deeply, so that the stack has several segments.
const deepSource = `-- go.mod --
module deep
-- main.go --
package deep

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/idelchi/aura/sdk"
)

const (
	depth     = 2000
	panicking = 400 // a panic takes time for each function, and more the deeper it is
)

func plain(n int, last func() int) int {
	if n == 0 {
		return last()
	}
	return plain(n-1, last) + 1
}

func even(n int) bool { return n == 0 || odd(n-1) }

func odd(n int) bool { return n != 0 && even(n-1) }

type list struct{ next *list }

func (l *list) length() int {
	if l == nil {
		return 0
	}
	return l.next.length() + 1
}

type walker interface{ walk(n int) int }

type step struct{ next walker }

func (s *step) walk(n int) int {
	if n == 0 {
		return 0
	}
	return s.next.walk(n-1) + 1
}

func deferred(n int, order *int) (r int) {
	defer func() { *order = *order*3 + n; *order %= 1000003; r++ }()
	if n == 0 {
		return 0
	}
	return deferred(n-1, order)
}

func recovered(n int) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	plain(n, func() int { panic("boom") })
	return
}

func ended(n int) (text string) {
	var group sync.WaitGroup
	group.Go(func() {
		defer func() { text = fmt.Sprint(recover()) + " deferred" }()
		plain(n, func() int { runtime.Goexit(); return 0 })
	})
	group.Wait()
	return
}

func BeforeChat(context.Context, sdk.BeforeChatContext) (sdk.Result, error) {
	var l *list
	for range depth {
		l = &list{l}
	}
	s := &step{}
	s.next = s
	var closure func(int) int
	closure = func(n int) int {
		if n == 0 {
			return 0
		}
		return closure(n-1) + 1
	}
	order, want := 0, 0
	for n := range 1001 {
		want = (want*3 + n) % 1000003
	}
	r := deferred(1000, &order)
	return sdk.Result{Message: fmt.Sprintln(plain(depth, func() int { return 7 }), even(depth), l.length(), s.walk(1000), closure(1000), r, order == want, recovered(panicking), ended(panicking))}, nil
}

func AfterResponse(context.Context, sdk.AfterResponseContext) (sdk.Result, error) {
	plain(panicking, func() int {
		var m map[string]int
		m["x"] = 1
		return 0
	})
	return sdk.Result{}, nil
}
`

// TestDeep checks that calls go on in further segments of the stack: results, deferred functions, panics and the end of a goroutine.
func TestDeep(t *testing.T) {
	stackLimit.Store(&stackEnd{math.MaxInt64, 256 << 10, func(report string) { panic(report) }})
	t.Cleanup(func() { stackLimit.Store(nil) })
	p := mustLoad(t, deepSource)
	if got, err := beforeChat(t, p); err != nil || got != "2007 true 2000 1000 1000 1001 true boom <nil> deferred\n" {
		t.Errorf("got %q, %v", got, err)
	}
	_, err := p.Hook(t.Context(), shared.HookCall{Point: "AfterResponse", Context: sdk.AfterResponseContext{}})
	wantFailure(t, err, shared.FailurePanic, "assignment to entry in nil map (in deep.AfterResponse.func1, main.go:97)")
	segments.Lock()
	defer segments.Unlock()
	if len(segments.numbers) > 0 {
		t.Errorf("%d segments are left", len(segments.numbers))
	}
}

// TestOverflowing checks the report about calls without end.
func TestOverflowing(t *testing.T) {
	known.Lock()
	number := len(known.places)
	known.places = append(known.places, place{"/p/main.go", 7, "p.deep"})
	known.Unlock()
	call := "github.com/idelchi/aura/internal/golang/interp.runCall({0x" + strconv.FormatInt(int64(number), 16) + ", 0x617572610a}, 0x1)\n\t/x.go:1\n"
	got := overflowing("goroutine 9 [running]:\n" + strings.Repeat(call, 20))
	if want := "/p/main.go:7: panic: p.deep(...)\nfatal error: stack overflow\n\ngoroutine 9 [running]:\np.deep(...)\n\t/p/main.go:7\n"; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	if n := strings.Count(got, ": panic: "); n != overflowFunctions {
		t.Errorf("got %d functions, want %d", n, overflowFunctions)
	}
}
