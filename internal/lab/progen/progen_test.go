package progen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/golang/library"
	"github.com/idelchi/aura/internal/lab/progen"
)

type importer struct{}

func (importer) Import(path string) (*types.Package, error) { return library.Import(path) }

var paths = map[string]string{
	"bits": "math/bits", "cmp": "cmp", "errors": "errors", "fmt": "fmt", "json": "encoding/json", "maps": "maps", "slices": "slices",
	"sort": "sort", "strconv": "strconv", "strings": "strings", "sync": "sync",
}

// TestPrograms checks the types of programs.
func TestPrograms(t *testing.T) {
	t.Parallel()
	qualified := regexp.MustCompile(`\b([a-z]+)\.[A-Z]`)
	for seed := range uint64(40) {
		text := progen.Program(seed)
		if text != progen.Program(seed) {
			t.Fatalf("the seed %d gives two programs", seed)
		}
		var imports []string
		for _, m := range qualified.FindAllStringSubmatch(text, -1) {
			if paths[m[1]] != "" {
				imports = append(imports, "import "+strconv.Quote(paths[m[1]]))
			}
		}
		slices.Sort(imports)
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, "program.go", "package program\n"+strings.Join(slices.Compact(imports), "\n")+"\n"+text, 0)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		config := types.Config{Importer: importer{}, GoVersion: "go1.23"}
		if _, err := config.Check("program", set, []*ast.File{file}, nil); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}
