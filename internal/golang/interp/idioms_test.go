package interp

import "testing"

// TestIdioms checks common uses of switches, assignments, shifts, channels and select.
func TestIdioms(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, want string }{
		"switch with a statement": {
			`out, t := "", "outer"
	for i := 0; i < 4; i++ {
	sw:
		switch t := strings.Split("a b c", " "); len(t) + i {
		case 3:
			for {
				break sw
			}
		case 4, 5:
			out += t[i]
			if i == 2 {
				continue
			}
			fallthrough
		case 99:
			out += "!"
		default:
			out += "?"
		}
		out += "."
	}
	switch c := makeCloser("x"); c.name {
	case "y":
		out += "y"
	case "x":
		out += "x"
	}
	return out + t`, ".b!.c?.xouter",
		},
		"switch with a statement on any": {
			`m := map[string]any{"k": 1}
	out := ""
	for _, s := range []string{"K", "z"} {
		switch key := strings.ToLower(s); m[key] {
		case 1:
			out += "one "
		case nil:
			out += "nil"
		}
	}
	return out`, "one nil",
		},
		"lists among several values": {
			`l, n := []int{1}, 7
	s, m, d := "s", map[string]int{"a": n}, closer{"c"}
	var a, b = [2]int{1, 2}, "b"
	l, n = []int{2}, n+1
	if x, y := []string{"x"}, 2; y > 1 {
		s += x[0]
	}
	return fmt.Sprint(l, n, s, m, d.name, a, b)`, "[2] 8sxmap[a:7]c[1 2]b",
		},
		"nil among several values": {
			`var err error = io.EOF
	a, d := makeCloser("c"), makeCloser("d")
	n := 1
	n, err = 2, nil
	p := &link{next: &link{}}
	var held *link
	held, p.next = p.next, nil
	a, d = nil, nil
	f, m := func() int { return n }, map[string][]int{"a": {1}}
	m["a"], n, m["b"] = nil, -n, []int{n}
	g := f
	g, f = f, nil
	return fmt.Sprint(n, err, a == nil, d == nil, held != nil, p.next == nil, f == nil, g(), m)`, "-2 <nil> true true true true true -2 map[a:[] b:[2]]",
		},
		"shifted numbers": {
			`type flags uint8
	f, n, s := flags(5), 2, []uint64{0, 64}
	x := uint16(1) | 1<<n | 1<<(n+1)
	return fmt.Sprint(f&(1<<n) != 0, f&(1<<uint(n-1)) == 0, x, s[n/2]&(1<<(n*3)) != 0, 4 == f&(1<<n))`, "true true 13 true true",
		},
		"shift as any": {`f := func(x uint64, n int) any { return x << n }; return f(3, 4)`, "48"},
		"channels in a list": {
			`var got []string
	list := []chan string{make(chan string, 2), make(chan string, 2)}
	byName := map[string]chan string{"a": list[0]}
	for i, ch := range list {
		ch <- fmt.Sprint(i)
	}
	for _, ch := range byName {
		ch := ch
		func() { ch <- "n" }()
	}
	for _, ch := range list {
		close(ch)
		for v := range ch {
			got = append(got, v)
		}
	}
	func(chans ...<-chan string) {
		for _, c := range chans {
			v, ok := <-c
			got = append(got, v+fmt.Sprint(ok))
		}
	}(list[0])
	return strings.Join(got, " ")`, "0 n 1 false",
		},
		"returned from a channel": {
			`ch := make(chan int, 4)
	e := make(chan error, 1)
	for i := 1; i < 5; i++ {
		ch <- i
	}
	e <- io.EOF
	f := func() int { return <-ch }
	g := func() (int, error) { return <-ch, <-e }
	n, err := g()
	x, y := 0, 0
	func() { x, y = <-ch, <-ch }()
	ch <- 9
	return fmt.Sprint(n, err, x, y, f())`, "1 EOF 2 3 4",
		},
		"sent by a select": {
			`ch, n, s := make(chan string, 9), 2, "s"
	p := make(chan *closer, 1)
	l := []chan string{nil, ch}
	for i := 0; i < 2; i++ {
		select {
		case ch <- strings.ToUpper(fmt.Sprint(s, i)):
		default:
		}
	}
	select {
	case p <- &closer{
		name: s + fmt.Sprint(n+1), // with a comment
	}:
	}
	select {
	case l[n-1] <- s + "x" + s:
	default:
	}
	close(ch)
	out := (<-p).name
	for v := range ch {
		out += " " + v
	}
	return out`, "s3 S0 S1 sxs",
		},
		"received by a select": {
			`ch := make(chan int, 3)
	l := []chan int{nil, ch}
	m, ok, n := map[string]int{}, false, 2
	ch <- 4
	ch <- 5
	ch <- 6
	select {
	case m["a"] = <-ch:
	}
	select {
	case m["b"], ok = <-ch:
	default:
	}
	select {
	case v := <-l[n-1]:
		n = v
	case <-time.After(time.Hour):
	}
	return fmt.Sprint(m, ok, n)`, "map[a:4 b:5] true 6",
		},
		"jumps out of a select": {
			`ch, n, out := make(chan int, 9), 0, ""
	ch <- 1
	ch <- 2
	ch <- 3
loop:
	for {
		n++
		select {
		case v := <-ch:
			if v == 2 {
				break
			}
			out += fmt.Sprint(v)
			continue
		default:
			out += "end"
			break loop
		}
		out += "after"
	}
	return out + fmt.Sprint(n)`, "1after3end4",
		},
		"own writers together": {
			`a, b := &sink{}, &sink{}
	fmt.Fprint(io.MultiWriter(a, b, &strings.Builder{}), "abc")
	return len(a.got + b.got)`, "6",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			behaves(t, tt.body, tt.want)
		})
	}
}
