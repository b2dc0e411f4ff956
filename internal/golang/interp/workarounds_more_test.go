package interp

import "testing"

// TestMoreWorkarounds checks comparisons and values that are put into interfaces.
func TestMoreWorkarounds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, want string }{
		"values in interfaces, from literals": {
			`var l []named
	m := map[int]named{}
	for i := 0; i < 3; i++ {
		l = append(l, &closer{fmt.Sprint(i)})
		m[i] = &closer{
			fmt.Sprint("m", i),
		}
		switch {
		case i > 0:
			l = append(l, makeCloser(fmt.Sprint("c", i)))
		}
	}
	return names(l) + names([]named{m[0], m[1], m[2]})`, "0 1 c1 2 c2 m0 m1 m2 ",
		},
		"values in interfaces, from variables": {
			`var l []named
	m := map[int]named{}
	var best named
	ch := make(chan named, 2)
	var pairs []pair
	for i, v := range []*closer{{"a"}, {"b"}} {
		l = append(l, v)
		m[i] = v
		ch <- v
		pairs = append(pairs, pair{v})
		if i == 0 {
			best = v
		}
		remember(v)
	}
	return names(l) + names([]named{m[0], m[1], <-ch, <-ch, best, pairs[0].n, pairs[1].n}) + names(remembered)`, "a b a b a b a a b a b ",
		},
		"computed constants": {
			`type level int8
	type flag uint
	type name string
	const (
		none level = -1
		low  level = 1 << iota
		high
	)
	const read, write flag = 1 << 0, 1 << 1
	const full name = "a" + "b"
	const wait time.Duration = 2 * time.Second
	l, f, n, d, m := high, read|write, full, wait, none
	out := fmt.Sprint(l == high, l != low, f&write == write, f == read|write, n == full, d == wait, m == none, low, high)
	switch l {
	case low:
		out += "low"
	case high:
		out += "high"
	}
	return out`, "true true true true true true true 2 4high",
		},
		"several conditions in a case": {
			`n := 3
	switch {
	case n == 1, n == 3: // one, or three
		return "odd"
	}
	return "even"`, "odd",
		},
		"second condition not needed": {
			`var p *closer
	switch {
	case p == nil, p.name == "":
		return "none"
	}
	return "some"`, "none",
		},
		"switch on any": {
			`values := map[string]any{"s": "x", "n": 3, "f": 1.5, "b": true, "nil": nil}
	out := ""
	for _, k := range []string{"s", "n", "f", "b", "nil", "none"} {
		switch values[k] {
		case "w", "x":
			out += "s"
		case 3:
			out += "n"
		case true:
			out += "b"
		case nil:
			out += "0"
		default:
			out += "?"
		}
		switch v := values[k]; v {
		case "x":
			out += "S"
			fallthrough
		case 3:
			out += "N"
		}
	}
	return out`, "sSNnN?b00",
		},
		"switch on others": {
			`out := ""
	for i, r := range "a(-" {
		switch r {
		case 'a', 'b':
			out += "letter"
		case '(':
			out += "open"
		}
		switch i {
		case 0, 2:
			out += fmt.Sprint(i)
		}
		switch "a(-"[i] {
		case '-':
			out += "dash"
		}
	}
	type kind string
	const small kind = "small"
	switch k := small; k {
	case "large":
	case small:
		out += "kind"
	}
	switch err := io.EOF; err {
	case nil:
	case io.EOF:
		out += "end"
	}
	return out`, "letter0open2dashkindend",
		},
		"switch on types without a name": {
			`kind := func(v any) string {
		switch v.(type) {
		case []any:
			return "list"
		case map[string]any:
			return "map"
		case fmt.Stringer:
			return "stringer"
		case nil:
			return "nil"
		}
		return "other"
	}
	own := func(v any) string {
		switch v.(type) {
		case error:
			return "error"
		case *closer:
			return "own"
		}
		return "other"
	}
	return own(&closer{}) + kind([]any{1}) + kind(map[string]any{}) + kind(time.Second) + kind(nil) + kind(2)`,
			"ownlistmapstringernilother",
		},
		"switch on a field": {
			`type box struct{ v any }
	b := box{3}
	switch b.v {
	case "x":
		return "string"
	case 3:
		return "number"
	}
	return "none"`, "number",
		},
		"error in a switch on types": {
			`kind := func(v any) string {
		switch v.(type) {
		case string:
			return "string"
		case error:
			return "error"
		}
		return "other"
	}
	text := func(v any) string {
		switch x := v.(type) {
		case int, error:
			return fmt.Sprint(x)
		default:
			return "other"
		}
	}
	return kind(io.EOF) + kind("x") + kind(2) + text(io.EOF) + text(2) + text("x")`, "errorstringotherEOF2other",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			behaves(t, tt.body, tt.want)
		})
	}
}

// behaves runs body as the body of a function that returns any, and compares the result with want.
func behaves(t *testing.T, body, want string) {
	t.Helper()
	got, err := beforeChat(t, mustLoad(t, `
-- go.mod --
module my-plugin
-- main.go --
package my_plugin

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/sdk"
)

var tau = 2.0 * math.Pi

type thing struct{}

type grade int

func (g grade) String() string { return "grade " + string(rune(48+int(g))) }

func (g grade) next() grade { return g + 1 }

func makeGrade(n int) grade { return grade(n) }

func (*thing) method(string, int) string { return "method" }

func first(string, ...int) string { return "first" }

type fault struct{ n int }

var logged []string

var _ = io.EOF

func log(s string) { logged = append(logged, s) }

type named interface{ called() string }

func (c *closer) called() string { return c.name }

type pair struct{ n named }

var remembered []named

func remember(n named) { remembered = append(remembered, n) }

func makeCloser(name string) *closer { return &closer{name} }

func names(l []named) string {
	s := ""
	for _, n := range l {
		s += n.called() + " "
	}
	return s
}

type link struct{ next *link }

type sink struct{ got string }

func (s *sink) Write(p []byte) (int, error) { s.got += string(p); return len(p), nil }

func out() string { return strings.Join(logged, " ") }

type closer struct{ name string }

func (c *closer) Close() error { log(c.name); return nil }

func (c *closer) closeAs(s string) { log(c.name + s) }

func (c *closer) rescue() { log(c.name + fmt.Sprint(" ", recover())) }

var (
	_ sync.Mutex
	_ time.Time
)

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
	`+body+`
}
`))
	if err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}
