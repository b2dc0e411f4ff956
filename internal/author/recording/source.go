package recording

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
)

// unrecorded maps functions whose results a recording does not have to what a plugin can use instead. A package stands for all its
// functions.
var unrecorded = map[string]string{
	"time.Now": "sdk.Now", "time.Since": "sdk.Now", "time.Until": "sdk.Now", "math/rand": "sdk.Rand", "math/rand/v2": "sdk.Rand", "crypto/rand": "sdk.Rand",
	"os.ReadFile": "", "os.Open": "", "os.OpenFile": "", "os.ReadDir": "", "os.Stat": "", "os.Getpid": "", "os.Hostname": "", "net": "", "net/http": "", "os/exec": "",
}

// Unrecorded returns what the source of a plugin uses that a replay cannot repeat, such as "time.Now (main.go:12); use sdk.Now", at
// most once per function. dir is the directory of a plugin, or the file of a Python extension. A file that cannot be read or parsed has
// nothing.
func Unrecorded(dir string) []string {
	var out []string
	seen := map[string]bool{}
	add := func(file string, line int, name, instead string) {
		if seen[name] {
			return
		}
		seen[name] = true
		place := fmt.Sprintf("%s (%s:%d)", name, file, line)
		if instead != "" {
			place += "; use " + instead
		}
		out = append(out, place)
	}
	// The plugin ran, so its files are there. What cannot be read is left out: the list is a hint.
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || strings.Contains(path, "/vendor/") {
			return nil //nolint:nilerr // see above
		}
		kind := filepath.Ext(path)
		if kind != ".py" && kind != ".go" || strings.HasSuffix(path, "_test.go") || kind == ".py" && strings.HasPrefix(e.Name(), "test_") {
			return nil
		}
		text, err := files.ReadNoFollow(path, files.MaxText)
		if err != nil {
			return nil //nolint:nilerr // see above
		}
		if kind == ".py" {
			for _, use := range pythonUses(string(text)) {
				add(e.Name(), use.line, use.name, use.instead)
			}
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
		if err != nil {
			return nil //nolint:nilerr // see above
		}
		for _, use := range uses(file) {
			add(e.Name(), set.Position(use.pos).Line, use.name, use.instead)
		}
		return nil
	})
	return out
}

// use is a use of something that is not recorded.
type use struct {
	name, instead string
	pos           token.Pos
}

// uses returns the uses in a file, in order.
func uses(file *ast.File) []use {
	imported := map[string]string{}
	for _, i := range file.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			continue
		}
		name := filepath.Base(strings.TrimSuffix(path, "/v2"))
		if i.Name != nil {
			name = i.Name.Name
		}
		imported[name] = path
	}
	var out []use
	ast.Inspect(file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		pkg, ok := selector.X.(*ast.Ident)
		path := ""
		if ok {
			path = imported[pkg.Name]
		}
		for _, name := range []string{path, path + "." + selector.Sel.Name} {
			if instead, ok := unrecorded[name]; ok && path != "" {
				out = append(out, use{name: path + "." + selector.Sel.Name, instead: instead, pos: selector.Pos()})
			}
		}
		return true
	})
	slices.SortStableFunc(out, func(a, b use) int { return cmp.Compare(a.pos, b.pos) })
	return out
}
