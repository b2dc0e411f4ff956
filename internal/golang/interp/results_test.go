package interp

import "testing"

// TestNamedResults calls functions with named results repeatedly from the same place, and functions that read the variable that
// receives their result.
func TestNamedResults(t *testing.T) {
	t.Parallel()
	const source = hook + `
-- results.go --
package my_plugin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/idelchi/aura/sdk"
)

func count(s string) (n int) {
	for i := 0; i < len(s); i++ {
		n++
	}
	return n
}

func listed(s string) (out []string, err error) {
	if s == "x" {
		return
	}
	if s == "!" {
		err = errors.New("bad")
		return
	}
	out = append(out, s)
	return
}

type tree struct{ kids []*tree }

func (t *tree) size() (n int) {
	n = 1
	for _, k := range t.kids {
		n += k.size()
	}
	return
}

func leaves(v any) (n int) {
	list, ok := v.([]any)
	for _, e := range list {
		n += leaves(e)
	}
	if !ok {
		n++
	}
	return n
}

var total = 5

func next() (n int) { n = total + 1; return }

var seq []int

func push(v int) (out []int) { out = append(seq, v); return }

func read(p *int) (n int) { n = *p + 1; return }

func forwarded() (n int) { n = 3; return read(&n) }

func guarded(d int) (r int, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("caught")
		}
	}()
	r = 10 / d
	return
}

func pair() (a, b int) { a, b = total+1, total+2; return }

func both(s string) (out []string, err error) { return listed(s) }

func zero[T any](use bool, v T) (out T) {
	if use {
		out = v
	}
	return
}

type box struct{ v int }

func message(context.Context, sdk.BeforeChatContext) string {
	var said []string
	say := func(v ...any) { said = append(said, fmt.Sprint(v...)) }
	sum := 0
	for _, s := range []string{"a", "bb", "ccc"} {
		sum += count(s)
	}
	say(sum)
	var all []string
	for _, s := range []string{"a", "x", "!", "b", "x"} {
		l, err := both(s)
		all = append(all, fmt.Sprint(len(l), err != nil))
	}
	say(all)
	say((&tree{kids: []*tree{{}, {kids: []*tree{{}, {}}}}}).size())
	say(leaves([]any{1, []any{2, 3, []any{}}, nil}))
	for i := 0; i < 2; i++ {
		total = next()
		seq = push(i)
	}
	say(total, seq)
	x := 5
	for i := 0; i < 2; i++ {
		x = read(&x)
	}
	b := &box{5}
	b.v = read(&b.v)
	say(x, b.v, forwarded())
	for _, d := range []int{0, 2, 0, 5} {
		r, err := guarded(d)
		say(r, err)
	}
	k := 0
	total, k = pair()
	say(total, k)
	for _, use := range []bool{true, false} {
		say(zero(use, "v"))
	}
	fib := func(int) (r int) { return 0 }
	fib = func(n int) (r int) {
		if n < 2 {
			r = n
			return
		}
		r += fib(n - 1)
		r += fib(n - 2)
		return
	}
	say(fib(7))
	return strings.Join(said, "|")
}
`
	const want = "6|[1 false 0 false 0 true 1 false 0 false]|5|4|7 [0 1]|7 6 4|0 caught|5 <nil>|0 caught|2 <nil>|8 9|v||13"
	got, err := beforeChat(t, mustLoad(t, source))
	if err != nil || got != want {
		t.Errorf("got  %q, %v\nwant %q", got, err, want)
	}
}
