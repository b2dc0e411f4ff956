package check_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/idelchi/aura/internal/author/check"
)

// TestClean checks that there are no findings in code that the interpreter runs like Go, including code that
// lowering writes in another way.
func TestClean(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"unnamed parameters":         `f := func(int, string) string { return "" }; _ = f(1, "")`,
		"captured range variable":    `var l []func() int; for _, v := range []int{1} { l = append(l, func() int { return v }) }; _ = l`,
		"address of range variable":  `var l []*int; for _, v := range []int{1} { l = append(l, &v) }; _ = l`,
		"captured counter":           `var l []func() int; for i := 0; i < 3; i++ { l = append(l, func() int { return i }) }; _ = l`,
		"counter changed":            `for i := 0; i < 3; i++ { i++ }`,
		"sum into any":               `m := map[string]any{}; n := 1; m["a"] = n + 1; m["b"] = -n`,
		"panic":                      `defer func() { _ = recover() }(); panic("x")`,
		"defer with constants":       `defer fmt.Println("x", 1)`,
		"defer with a fixed value":   `x := 1; defer fmt.Println(x)`,
		"defer an expression":        `x := 1; defer fmt.Println(x + 1); x = 2`,
		"defer unlock":               `var mu sync.Mutex; mu.Lock(); defer mu.Unlock()`,
		"defer unlock, then change":  `b := &box{}; b.mu.Lock(); defer b.mu.Unlock(); b.n++; b.list = append(b.list, 1)`,
		"defer own, then change":     `b := &box{}; defer b.close(); b.n++`,
		"defer with a pointer":       `b := &box{}; defer fmt.Println(b); b.n++`,
		"defer with a slice":         `l := []int{1}; defer fmt.Println(l); l[0] = 2`,
		"counter lent":               `for i := 0; i < 3; { advance(&i) }`,
		"defer unlock in a loop":     `var mu sync.Mutex; for range []int{1} { mu.Lock(); defer mu.Unlock() }`,
		"defer cancel":               `ctx, cancel := context.WithCancel(context.Background()); defer cancel(); _ = ctx`,
		"defer a literal":            `n := 0; defer func() { n++ }(); n = 2`,
		"defer close":                `f, err := os.Open("x"); if err != nil { return }; defer f.Close()`,
		"defer with a map's element": `m := map[string]int{}; defer fmt.Println(m["a"]); m["a"] = 1`,
		"defer changed argument":     `x := 1; defer fmt.Println(x); x = 2`,
		"defer changed field":        `b := &box{}; defer fmt.Println(b.n, 1); b.n = 2`,
		"defer changed receiver":     `b := &box{}; defer b.close(); b = &box{}; defer b.close()`,
		"defer in a loop":            `for i, b := range []*box{{}} { defer b.close(); defer fmt.Println(i*2, fmt.Sprint(b)); defer func() { _ = i }() }`,
		"defer own copy in a loop":   `for _, b := range []*box{{}} { b := b; defer b.close() }`,
		"defer literal by name":      `done := func() {}; defer done(); defer func() { done() }(); defer func(f func()) { f() }(func() {})`,
		"defer outer literal":        `say := func() {}; func() { defer say() }()`,
		"go with arguments":          `for i := 0; i < 2; i++ { go func(n int) { _ = n }(i) }`,
		"switch over error":          `var err error = io.EOF; switch err { case io.EOF: case nil: }`,
		"switch over string":         `switch s := "a"; s { case "a": }`,
		"type switch":                `var v any = 1; switch x := v.(type) { case int: _ = x; case []any: case map[string]any: case string, bool: case nil: }`,
		"type switch unbound":        `var v any = 1; switch v.(type) { case int, string, []string, float64, nil: }`,
		"type switch any unbound":    `var v any; switch v.(type) { case []any, map[string]any: case string: }`,
		"switch over any":            `m := map[string]any{}; switch m["a"] { case "x", 1: }; switch v := m["b"]; v { case nil, true: }; var v any; switch v { case 2: }`,
		"several conditions":         `a, b := 1, 2; switch { case a == 1, b == 1: }`,
		"type switch compiled":       `var r io.Reader; switch x := r.(type) { case *os.File: _ = x }`,
		"type switch own interface":  `var s shape = square{}; switch x := s.(type) { case square: _ = x; case *square: }`,
		"assert error":               `var v any; _, _ = v.(error)`,
		"assert own":                 `var v any; _, _ = v.(square); _, _ = v.(*square)`,
		"assert own interface":       `var s shape; _, _ = s.(shape)`,
		"assert own error":           `var err error; _, _ = err.(*fault)`,
		"compare with nil":           `var s shape; var err error; _ = s == nil || err != nil`,
		"compare errors":             `err := errors.New("x"); _ = err == io.EOF || errors.Is(err, io.EOF)`,
		"compare any":                `m := map[string]any{}; _ = m["a"] == "x"`,
		"errors.As compiled":         `var p *os.PathError; _ = errors.As(io.EOF, &p)`,
		"own error as error":         `var err error = &fault{}; _ = fmt.Errorf("x: %w", err)`,
		"method called by type":      `_ = square.area(square{})`,
		"method value":               `s := square{}; f := s.area; _ = f()`,
		"json of maps":               `_, _ = json.Marshal(map[string]any{"a": []int{1}})`,
		"json of a struct":           "_, _ = json.Marshal(struct { A int `json:\"a\"`; At time.Time; b int `json:\"-\"` }{})",
		"json into a struct":         "var t struct { A int; b int }; _ = json.Unmarshal(nil, &t); _ = t.b",
		"slices that work":           `_ = slices.Contains([]int{1}, 1) && slices.IndexFunc([]int{1}, func(int) bool { return true }) == 0`,
		"generics that work":         `_ = pointer(1); _ = each[int, string]([]int{1}, func(int) string { return "" }); s := &stack[int]{}; s.push(1)`,
		"new of a type":              `_ = new(int); _ = new(square)`,
		"format own":                 `fmt.Println(square{}, fmt.Sprintf("%v %+v", square{}, 1))`,
		"return an error":            `_ = func() error { f := &fault{}; return f }`,
		"switch with a statement":    `switch b := (&box{}); b.n { case 1: }; m := map[string]any{}; switch k := "a"; m[k] { case 1, "x": }`,
		"shifted numbers":            `f, n := uint8(1), 2; _ = f&(1<<n) != 0; f |= 1 << n; var u uint64 = 1 << n; _ = u | 1<<n; _ = 1 << n; _ = int64(1 << n)`,
		"channels in a list":         `l := []chan int{}; for _, c := range l { close(c) }; for _, c := range l { go func() { for v := range c { _ = v } }() }`,
		"nil among several":          `b, err, n := &box{}, io.EOF, 1; n, err = 2, nil; b, err = nil, nil; _, _, _ = b, err, n`,
		"named max":                  `max := func(a, b int) int { return a }; _ = max(1, 2)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var imports strings.Builder
			for _, path := range []string{"context", "encoding/json", "errors", "fmt", "io", "os", "slices", "sync", "time"} {
				base := path[strings.LastIndex(path, "/")+1:]
				if strings.Contains(body+clean, base+".") {
					imports.WriteString("\t\"" + path + "\"\n")
				}
			}
			source := "package my_plugin\n\nimport (\n" + imports.String() + "\n\t\"github.com/idelchi/aura/sdk\"\n)\n\n" + clean + "func f() {\n" + body + "\n}\n"
			dir := unpack(t, "my-plugin", &txtar.Archive{Files: []txtar.File{{Name: "main.go", Data: []byte(source)}}})
			for _, f := range check.Dir(dir, check.Options{}) {
				t.Errorf("%+v", f)
			}
		})
	}
}

// clean is a plugin with the types that the rows use.
const clean = `func BeforeChat(_ context.Context, _ sdk.BeforeChatContext) (sdk.Result, error) { return sdk.Result{}, nil }

type shape interface{ area() int }

type square struct{ n int }

func (s square) area() int { return s.n }

type fault struct{}

func (*fault) Error() string { return "" }

type box struct {
	mu   sync.Mutex
	n    int
	list []int
}

func (b *box) close() {}

func advance(n *int) { *n++ }

type node struct {
	kids []node
	next *node
	each func(node) node
}

type stack[T any] struct{ list []T }

func (s *stack[T]) push(v T) { s.list = append(s.list, v) }

func pointer[T any](v T) *T { return &v }

func each[T, U any](list []T, f func(T) U) []U { return nil }

`
