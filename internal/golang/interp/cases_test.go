package interp

import "testing"

// TestCases checks the values that switches compare with.
func TestCases(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, want string }{
		"computed values in a case": {
			`out, p := "", pair{}
	_ = p
	k, l := closer{"x"}, []string{"y", "z"}
	for _, s := range []string{"x", "y", "z", "xy", "w", "q"} {
		switch s {
		case k.name, // or this,
			l[0]:
			out += "1"
		case "z", strings.ToLower("XY"), k.name + l[1]:
			out += "2"
			fallthrough
		case "never":
			out += "!"
		case "w":
			out += "3"
		default:
			out += "?"
		}
	}
	for i := 0; i < 4; i++ {
	sw:
		switch n := i; n + 1 {
		case len(l), len(out) - len(out) + 3:
			if n == 1 {
				break sw
			}
			out += fmt.Sprint("n", n)
		}
	}
	return out`, "112!2!3?n2",
		},
		"own types with methods": {
			`type plain struct{ text string }
	kind := func(v any, n int) string {
		switch v := v.(type) {
		case nil:
			return "nil"
		case *closer:
			return "closer " + v.name
		case fault, *fault:
			return fmt.Sprint("fault ", v != nil)
		case plain:
			return "plain " + v.text
		case int, string:
			return fmt.Sprint("built in ", v)
		case map[string]any:
			return fmt.Sprint("map ", len(v))
		case func() int:
			return fmt.Sprint("func ", v())
		case []fault:
			return fmt.Sprint("faults ", len(v))
		default:
			return fmt.Sprint("other ", v)
		}
	}
	out := ""
	m := map[string]any{"c": &closer{"b"}}
	for i, v := range []any{&closer{"a"}, m["c"], nil, fault{1}, &fault{2}, plain{"p"}, 3, "s", m, func() int { return 9 }, []fault{{1}}, 1.5} {
		out += kind(v, i) + ", "
	}
	return out + kind(&closer{"c"}, 0)`,
			"closer a, closer b, nil, fault true, fault true, plain p, built in 3, built in s, map 1, func 9, faults 1, other 1.5, closer c",
		},
		"own types, value without a name": {
			`type plain struct{ text string }
	kind := func(v any) (s string) {
		for i := 0; i < 3; i++ {
			switch v.(type) {
			case *closer, *link:
				if i == 1 {
					break
				}
				s += "c"
				continue
			case plain:
				return "p"
			}
			s += "-"
		}
		return s
	}
	return kind(&closer{}) + kind(plain{}) + kind(&link{}) + kind(nil) + kind(7)`, "c-cpc-c------",
		},
		"own types in a function within": {
			`var kind func(v any) string
	kind = func(v any) string {
		each := func(l []any, v any) string {
			s := ""
			for _, x := range l {
				s += kind(x)
			}
			switch v.(type) {
			case *closer:
				s += "!"
			}
			return s
		}
		switch l := v.(type) {
		case []any:
			return "[" + each(l, l[0]) + "]"
		case *closer:
			return l.name
		}
		return "?"
	}
	return kind([]any{&closer{"a"}, []any{&closer{"b"}}, 1})`, "[a[b!]?!]",
		},
		"offsets in a string": {
			`words, text, out := []string{"äb", "c"}, "äb", ""
	each := func(s string) {
		for i := range s {
			out += fmt.Sprint(i)
		}
	}
	each(text)
	for i := range text {
		out += text[i:]
	}
	for i := range words[0] {
		if words[0][i] == 'b' {
			out += fmt.Sprint("at", i)
		}
	}
	for i := range "äö" {
		out += fmt.Sprint(i)
	}
	for i := range words {
		words[i] += fmt.Sprint(i)
	}
	ch := make(chan int, 1)
	ch <- 7
	close(ch)
	for i := range ch {
		out += fmt.Sprint(i)
	}
	m := map[string]int{"k": 1}
	for k := range m {
		m[k]++
	}
	return out + fmt.Sprint(words, m)`, "02äbbat2027[äb0 c1] map[k:2]",
		},
		"printed results": {
			`g, n := makeGrade(2), 3
	return fmt.Sprint(makeGrade(1)) + fmt.Sprint("g", g.next(), n) + fmt.Sprintf("%v|%-6s|%d|%s%%|%03d %v", makeGrade(3), makeGrade(1), makeGrade(4), strings.ToUpper("x"), g.next(), len("abc")) +
		fmt.Sprintln(g.next().next(), g) + fmt.Sprintf("%[1]d", makeGrade(5)) + fmt.Sprintf("%+d", makeGrade(6)) + fmt.Sprint(n)`,
			"grade 1ggrade 3 3grade 3|grade 1|4|X%|003 3grade 4 grade 2\n5+63",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			behaves(t, tt.body, tt.want)
		})
	}
}
