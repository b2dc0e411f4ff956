package check_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/idelchi/aura/internal/check"
)

// soundInterfaces stores values in interfaces in ways that the interpreter handles correctly.
const soundInterfaces = `package my_plugin

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/sdk"
)

func BeforeChat(context.Context, sdk.BeforeChatContext) (sdk.Result, error) {
	return sdk.Result{Notice: fmt.Sprint(len(all()), find(), level(2))}, nil
}

type shape interface{ sides() int }

type square struct{ side int }

func (s square) sides() int { return s.side }

type polygon struct{ n int }

func (p *polygon) sides() int { return p.n }

type level int

func (l level) String() string { return fmt.Sprintf("%d", int(l)) }

type plain struct{ n int }

func all() []shape {
	list := []shape{&polygon{1}, square{2}}
	byName := map[string]shape{"a": &polygon{1}, "b": square{2}}
	var kept []any
	for i := 0; i < 3; i++ {
		p := &polygon{i}
		list = append(list, p, square{i}, byName["a"])
		byName[fmt.Sprint(i)] = p
		kept = append(kept, i, &plain{i}, fmt.Sprint(i))
		fmt.Println(&polygon{i}, p)
	}
	for _, s := range []square{{1}, {2}} {
		s := s
		list = append(list, s)
	}
	for _, s := range list {
		kept = append(kept, s)
	}
	for _, p := range []*polygon{{1}, {2}} {
		if p.n == 2 {
			byName["two"] = p
			break
		}
		use(p)
	}
	numbers := [2]int{1, 2}
	for _, n := range &numbers {
		kept = append(kept, n)
	}
	for range numbers {
		list = append(list, made())
	}
	fmt.Printf("%v %s %x %5v %*d\n", level(1), level(1), level(1), level(1), 3, 4)
	return list
}

func made() shape { return &polygon{3} }

func use(s shape) int { return s.sides() }

func find() shape {
	for _, s := range []square{{1}, {2}} {
		if s.side == 2 {
			return s
		}
	}
	s := square{1}
	s.side = 4
	var found shape = s
	return found
}
`

// TestSoundInterfaces checks that there are no findings in soundInterfaces.
func TestSoundInterfaces(t *testing.T) {
	t.Parallel()
	dir := unpack(t, "my-plugin", &txtar.Archive{Files: []txtar.File{{Name: "main.go", Data: []byte(soundInterfaces)}}})
	for _, f := range check.Dir(dir, check.Options{}) {
		t.Errorf("%+v", f)
	}
}
