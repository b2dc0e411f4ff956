package interp

import "testing"

// TestWorkarounds runs code that the interpreter gets wrong without lowering. Each row is the body of a function that returns
// any.
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
		"range variable, own copy": {
			`var fs []func() string
	for _, v := range []string{"a", "b"} {
		v := v
		fs = append(fs, func() string { return v })
	}
	for i := 0; i < 2; i++ {
		i, s := i, "s"
		fs = append(fs, func() string { return fmt.Sprint(i, s) })
	}
	for _, v := range []int{1, 2} {fs = append(fs, func() string { return fmt.Sprint(v) });var v = v * 10;fs = append(fs, func() string { return fmt.Sprint(v) })}
	out := ""
	for _, f := range fs {
		out += f() + " "
	}
	return out`, "a b 0s 1s 1 10 2 20 ",
		},
		"lists and maps of a loop, closure": {
			`var fs []func() string
	for i := 0; i < 2; i++ {
		l, m := []int{i}, map[string]int{"x": i}
		fs = append(fs, func() string { return fmt.Sprint(l, m) })
	}
	return fs[0]() + fs[1]()`, "[0] map[x:0][1] map[x:1]",
		},
		"comparison as result": {
			`f := func(n int) any { return n > 1 }
	g := func(n int) (interface{}, error) { return n == 1 || n < 0, nil }
	v, err := g(1)
	return fmt.Sprint(f(2), v, err)`, "true true <nil>",
		},
		"deferred closure that has a name": {
			`func() {
		cleanup := func() { log("cleanup") }
		defer cleanup()
		log("work")
	}()
	return out()`, "work cleanup",
		},
		"deferred closure that calls another": {
			`func() {
		helper := func(s string) { log(s) }
		var later func(n int)
		later = func(n int) {
			if n > 0 {
				helper(fmt.Sprint(n))
				later(n - 1)
			}
		}
		defer func() { later(2) }()
		defer helper("first")
	}()
	return out()`, "first 2 1",
		},
		"deferred closure of a struct": {
			`func() {
		x := struct{ done func() }{done: func() { log("done") }}
		defer x.done()
		defer func(f func()) { f() }(func() { log("argument") })
	}()
	return out()`, "argument done",
		},
		"deferred closures of a loop": {
			`func() {
		for i, v := range []string{"a", "b"} {
			defer func() { log(fmt.Sprint(i, v)) }()
			n := i * 10
			defer func(s string) { log(fmt.Sprint(s, n)) }(v)
		}
	}()
	return out()`, "b10 1b a0 0a",
		},
		"deferred arguments": {
			`func() {
		x := "old"
		defer log(x)
		x = "new"
		xs := []string{"p", "q"}
		for i := 0; i < 2; i++ {
			defer log(xs[i])
			defer func(n int, s string) { log(fmt.Sprint(n, s)) }(i*10, fmt.Sprint("c", -i))
			defer func(n uint64, b bool) { log(fmt.Sprint(n, b)) }(1<<40, i > 0)
		}
		defer log("constant")
	}()
	return out()`, "constant 1099511627776 true 10c-1 q 1099511627776 false 0c0 p old",
		},
		"deferred result and field": {
			`func() (n int) {
		c := &closer{"old"}
		defer func(n int, s string) { log(fmt.Sprint(n, s)) }(n, c.name)
		c.name = "new"
		return 2
	}()
	return out()`, "0old",
		},
		"deferred methods": {
			`func() {
		for _, n := range []string{"a", "b"} {
			c := &closer{n}
			defer c.Close()
		}
		c := &closer{"c"}
		defer c.Close()
		c = &closer{"d"}
		defer c.closeAs("!")
		var mu sync.Mutex
		mu.Lock()
		defer mu.Unlock()
	}()
	return out()`, "d! c b a",
		},
		"deferred method that recovers": {
			`func() {
		for _, n := range []string{"a"} {
			c := &closer{n}
			defer c.rescue()
			panic("x")
		}
	}()
	return out()`, "a x",
		},
		"deferred wait for goroutines": {
			`n := make(chan int, 2)
	func() {
		var wg sync.WaitGroup
		defer wg.Wait()
		add := func(i int) { n <- i }
		for i := 1; i <= 2; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				add(i)
			}()
		}
	}()
	return <-n + <-n`, "3",
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
			behaves(t, tt.body, tt.want)
		})
	}
}
