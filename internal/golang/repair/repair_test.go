package repair_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/golang/repair"
)

// TestDone checks what is repaired. Each row is the body of a function; the construct starts at the mark, which is removed
// from the source. Tests in packages with an interpreter show that the repairs are correct.
func TestDone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body string
		kind repair.Kind
		want bool
	}{
		"argument":                   {`x := 1; defer g(§x); x = 2`, repair.Argument, true},
		"argument, not local":        {`defer g(§y)`, repair.Argument, false},
		"argument over lines":        {"x := 1; defer g(§x[\n0])", repair.Argument, false},
		"argument in a loop":         {`for i := range l { defer g(§i + 1) }`, repair.Argument, true},
		"argument, shift in a loop":  {`for i := range l { defer g(§i << 1) }`, repair.Argument, false},
		"receiver":                   {`x := h(); §defer x.close(); x = h()`, repair.Receiver, true},
		"receiver with its type":     {`var x T; §defer x.close(); x = h()`, repair.Receiver, false},
		"receiver that stays":        {`x := h(); §defer x.close()`, repair.Receiver, false},
		"receiver, recovering":       {`x := h(); §defer x.rescue(); x = h()`, repair.Receiver, false},
		"literal":                    {`for { §defer func() {}() }`, repair.Literal, true},
		"literal outside a loop":     {`§defer func() {}()`, repair.Literal, false},
		"literal that recovers":      {`for { §defer func() { recover() }() }`, repair.Literal, false},
		"variable":                   {`for §i := 0; i < 3; i++ { go func() { g(i) }() }`, repair.Variable, true},
		"variable that is not kept":  {`for §i := 0; i < 3; i++ { l[i] = 1 }`, repair.Variable, false},
		"variable that changes":      {`for §i := 0; i < 3; i++ { go func() { g(i) }(); i++ }`, repair.Variable, false},
		"variable of a range":        {`for §k, v := range m { l = append(l, v, k) }`, repair.Variable, true},
		"variable, copied already":   {`for _, §v := range m { v := v; go func() { g(v) }() }`, repair.Variable, true},
		"variable, channel":          {`for _, §c := range l { close(c) }`, repair.Variable, true},
		"value":                      {`for { l = append(l, §&T{}) }`, repair.Value, true},
		"value, call":                {`for { m[k] = §h() }`, repair.Value, true},
		"value outside a loop":       {`l = append(l, §&T{})`, repair.Value, false},
		"value, address":             {`for { l = append(l, §&x) }`, repair.Value, false},
		"values":                     {`for { l = append(l, §h(), h()) }`, repair.Value, false},
		"switch":                     {`§switch m[k] { case 1, nil: }`, repair.Switch, true},
		"switch over a name":         {`§switch v { case "a": }`, repair.Switch, true},
		"switch over a call":         {`§switch h() { case 1: }`, repair.Switch, false},
		"switch over a character":    {`§switch v { case 'a': }`, repair.Switch, false},
		"assertions":                 {`§switch x := p.(type) { case *T, nil, any: g(x) }`, repair.Assertions, true},
		"assertions, library":        {`§switch p.(type) { case *T, io.Reader: }`, repair.Assertions, false},
		"assertions, no parameter":   {`§switch v.(type) { case *T: }`, repair.Assertions, false},
		"named":                      {`§switch v.(type) { case []any, io.Reader: }`, repair.Named, true},
		"named already":              {`§switch x := v.(type) { case []any: g(x) }`, repair.Named, false},
		"named, own":                 {`§switch v.(type) { case T: }`, repair.Named, false},
		"shift":                      {`g(u | §1<<n)`, repair.Shift, true},
		"shift in parentheses":       {`g((§1 << n) & u)`, repair.Shift, true},
		"shift alone":                {`g(§1 << n)`, repair.Shift, false},
		"shift beside a pointer":     {`g(*u | §1<<n)`, repair.Shift, false},
		"shift in what is deferred":  {`for i := range l { defer g(i | §1<<n) }`, repair.Shift, true},
		"channels":                   {`§for _, c := range l { c <- 1 }`, repair.Channels, true},
		"channels of a call":         {`§for _, c := range h() { c <- 1 }`, repair.Channels, false},
		"channels, perhaps":          {`§for _, c := range l { g(c) }`, repair.Channels, false},
		"offsets":                    {`§for i := range s { g(i) }`, repair.Offsets, true},
		"offsets of a literal":       {`§for i := range "ab" { g(i) }`, repair.Offsets, true},
		"offsets, read":              {`§for i := range y.z { g(y.z[i]) }`, repair.Offsets, true},
		"offsets, perhaps":           {`§for i := range y { g(i) }`, repair.Offsets, false},
		"offsets and characters":     {`§for i, r := range s { g(i, r) }`, repair.Offsets, false},
		"nils":                       {`§x, err = 1, nil`, repair.Nils, true},
		"nils alone":                 {`§x, err = nil, nil`, repair.Nils, true},
		"nils of a list":             {`§i, l[i] = 1, nil`, repair.Nils, false},
		"nils before a condition":    {`if §x, err = 1, nil; x { }`, repair.Nils, false},
		"nils in a case":             {`switch { case x: §x, err = 1, nil }`, repair.Nils, true},
		"printed":                    {`fmt.Print(§h())`, repair.Printed, true},
		"printed, method":            {`fmt.Print(§v.m())`, repair.Printed, false},
		"printed with others":        {`fmt.Print(1, §v.m())`, repair.Printed, true},
		"printed as a number":        {`fmt.Printf("%d %v", §h(), 1)`, repair.Printed, false},
		"printed by what is delayed": {`defer fmt.Print(§h())`, repair.Printed, false},
		"printed, deferred":          {`for i := range l { defer g(i, fmt.Sprint(§h())) }`, repair.Printed, true},
		"printed, then sent":         {`select { case c <- fmt.Sprint(§h()): }`, repair.Printed, true},
		"conversion":                 {`g(§error(x))`, repair.Conversion, true},
		"conversion of nil":          {`g(§error(nil))`, repair.Conversion, false},
		"conversion, library":        {`g(§io.Reader(x))`, repair.Conversion, true},
		"conversion, no interface":   {`g(§io.SectionReader(x))`, repair.Conversion, false},
		"conversion, no library":     {`g(§os.Signal(x))`, repair.Conversion, false},
		"conversion, variable":       {`fmt := x; g(§fmt.Stringer(x))`, repair.Conversion, false},
		"conversion over lines":      {"g(§error(\nx,\n))", repair.Conversion, false},
		"assertion":                  {`e, ok := §p.(error)`, repair.Assertion, true},
		"assertion, written out":     {`e, ok := §p.(interface{ Error() string })`, repair.Assertion, true},
		"assertion, other interface": {`e, ok := §p.(interface{ Other() string })`, repair.Assertion, false},
		"assertion, no interface":    {`e, ok := §p.(fmt.Wrapper)`, repair.Assertion, false},
		"assertion, recovered":       {`e, ok := §recover().(error)`, repair.Assertion, false},
		"given":                      {`fmt.Print(1, §p)`, repair.Given, true},
		"given, captured":            {`func() { fmt.Print(§p) }()`, repair.Given, true},
		"given, assigned":            {`p = 1; fmt.Print(§p)`, repair.Given, false},
		"given, other":               {`fmt.Print(§s)`, repair.Given, false},
		"miss":                       {`for { §v, ok := p.(T); g(v, ok) }`, repair.Miss, true},
		"miss outside a loop":        {`§v, ok := p.(T)`, repair.Miss, false},
		"miss, assigned":             {`§v, ok = p.(T)`, repair.Miss, true},
		"miss, asked":                {`for { if §v, ok := p.(T); ok { g(v) } }`, repair.Miss, false},
		"miss, asked for the rest":   {`for { if §v, ok := p.(T); ok { g(v) } else { g(v) } }`, repair.Miss, true},
		"miss, element":              {`for { §v, ok := m[k]; g(v) }`, repair.Miss, true},
		"miss, computed element":     {`for { §v, ok := m[h()]; g(v) }`, repair.Miss, false},
		"miss, element assigned":     {`§v, ok = m[k]`, repair.Miss, true},
		"miss, element by itself":    {`§v, ok = m[v]`, repair.Miss, false},
		// The received value gets another variable, and the map's element is written again unchanged.
		"printed, then written again": {`select { case m[fmt.Sprint(§h())] = <-c: }`, repair.Printed, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const mark = "§"
			source := "package a\n\nimport (\"fmt\"; \"io\")\n\nfunc (T) rescue() { recover() }\n\nfunc h() int { return 1 }\n\nfunc f(p any, s string) {\n" + tt.body + "\n}\n"
			at := strings.Index(source, mark)
			text := []byte(strings.Replace(source, mark, "", 1))
			file, err := parser.ParseFile(token.NewFileSet(), "a.go", text, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			edits := repair.Edits(file, text)
			done := repair.Done{}
			done.Of(edits)
			got := false
			ast.Inspect(file, func(n ast.Node) bool {
				got = got || n != nil && int(n.Pos()-file.FileStart) == at && done.Has(tt.kind, n)
				return true
			})
			out := repair.Apply(nil, text, 0, edits)
			if got != tt.want {
				t.Errorf("got %t, want %t\n%s", got, tt.want, out)
			}
			if _, err := parser.ParseFile(token.NewFileSet(), "a.go", out, 0); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
