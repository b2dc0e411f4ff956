package interp

import "testing"

// TestWorkarounds runs code that the interpreter alone gets wrong. Each row is the body of a function that returns any.
func TestWorkarounds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, want string }{
		"unnamed parameters": {
			`f := func(int, string) (n string) { return "f" }
	return f(1, "x") + new(thing).method("a", 2) + first("a", 1, 2)`, "fmethodfirst",
		},
		"sum into a map of any": {
			`m := c.Vars
	p := c.PluginConfig
	n := 2
	p["n"], p["m"] = n*3, -n
	p["s"] = "x" + m["v"]
	return p`, "map[m:-2 n:6 s:xv]",
		},
		"not into a map of any": {"m := map[string]any{}\n\tn := 1\n\tm[\"b\"] = !(n > 1)\n\treturn m", "map[b:true]"},
		"minus into an any":     {"var x any\n\tn := 2\n\tx = -n\n\treturn x", "-2"},
		"minus as result":       {"f := func(n int) any { return -n }\n\treturn f(2)", "-2"},
		"shift into an element": {"u := []uint64{0}\n\tn := 40\n\tu[0] = 1 << n\n\treturn u", "[1099511627776]"},
		"byte into an element":  {"b := []byte{0}\n\tb[0] = '0' + byte(3)\n\treturn b[0]", "51"},
		"constant into a float": {"f := []float64{0}\n\tf[0] = 2 * 3\n\treturn f", "[6]"},
		"float beside a constant": {
			`n := 1.0
	return fmt.Sprintf("%.2f %t %t %.2f", 2.5*math.Pi, n < (0.0-math.MaxFloat64), n < math.MaxFloat64-1e3*2, tau)`, "7.85 false true 6.28",
		},
		"range variable, closure": {
			`var fs []func() int
	for i, v := range []int{10, 20} {
		fs = append(fs, func() int { return i + v })
	}
	return fs[0]() + fs[1]()`, "31",
		},
		"range variable, pointer": {
			`var ps []*int
	for _, v := range []int{10, 20} {
		ps = append(ps, &v)
	}
	return *ps[0] + *ps[1]`, "30",
		},
		"loop counter, closure": {
			`var fs []func() int
	for i := 0; i < 3; i++ {
		if i == 1 {
			continue
		}
		fs = append(fs, func() int { return i })
	}
	return fs[0]() * 10 + fs[1]()`, "2",
		},
		"loop counter that the body changes": {
			`n := 0
	for i := 0; i < 10; i++ {
		func() { n += i }()
		i += 4
	}
	return n`, "5",
		},
		"recovered string": {
			`return caught(func() { panic("x") })`, "string x",
		},
		"recovered error": {
			`return caught(func() { panic(fmt.Errorf("x")) })`, "error x",
		},
		"recovered struct": {
			`return caught(func() { panic(fault{4}) })`, "fault 4",
		},
		"function that ends in panic": {
			`f := func(n int) int {
		if n > 0 {
			return n
		}
		panic("never")
	}
	return f(3)`, "3",
		},
		"two loop counters": {
			`var fs []func() int
	for i, j := 0, 5; i < 2; i, j = i+1, j-1 {
		fs = append(fs, func() int { return i*10 + j })
	}
	return fs[0]() + fs[1]()`, "19",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := beforeChat(t, mustLoad(t, `
-- go.mod --
module my-plugin
-- main.go --
package my_plugin

import (
	"context"
	"fmt"
	"math"

	"github.com/idelchi/aura/sdk"
)

var tau = 2.0 * math.Pi

type thing struct{}

func (*thing) method(string, int) string { return "method" }

func first(string, ...int) string { return "first" }

type fault struct{ n int }

func caught(f func()) (out string) {
	defer func() {
		r := recover()
		if s, ok := r.(string); ok {
			out = "string " + s
		}
		if err, ok := r.(error); ok {
			out = "error " + err.Error()
		}
		if f, ok := r.(fault); ok {
			out = fmt.Sprint("fault ", f.n)
		}
	}()
	f()
	return ""
}

func BeforeChat(_ context.Context, _ sdk.BeforeChatContext) (sdk.Result, error) {
	c := sdk.Context{Vars: map[string]string{"v": "v"}, PluginConfig: map[string]any{}}
	return sdk.Result{Message: fmt.Sprint(f(c))}, nil
}

func f(c sdk.Context) any {
	`+tt.body+`
}
`))
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}
