package examples_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk/version"
)

const sdkPath = "github.com/idelchi/aura/sdk"

// checker type-checks plugins against the SDK's source in this repository. It is not safe for concurrent use.
type checker struct {
	files *token.FileSet
	std   types.Importer
	// own holds the SDK's packages by import path.
	own map[string]*types.Package
}

func newChecker(t *testing.T) *checker {
	t.Helper()
	files := token.NewFileSet()
	c := &checker{files: files, std: importer.ForCompiler(files, "gc", nil), own: map[string]*types.Package{}}
	for _, name := range []string{"/version", ""} {
		sources, err := c.parse("../../../sdk" + name)
		if err != nil {
			t.Fatal(err)
		}
		if c.own[sdkPath+name], err = (&types.Config{Importer: c}).Check(sdkPath+name, files, sources, nil); err != nil {
			t.Fatalf("checking the SDK: %v", err)
		}
	}
	return c
}

// Import implements types.Importer.
func (c *checker) Import(name string) (*types.Package, error) {
	if own := c.own[name]; own != nil {
		return own, nil
	}
	return c.std.Import(name)
}

// check returns the hooks and tool functions that a plugin exports, sorted by name, and all problems of the plugin.
func (c *checker) check(dir string) (exports, problems []string) {
	module, problems := checkModule(dir)
	problems = append(problems, checkManifest(dir)...)
	sources, err := c.parse(dir)
	if err != nil {
		return nil, append(problems, err.Error())
	}
	want := strings.ReplaceAll(path.Base(module), "-", "_")
	for _, f := range sources {
		if f.Name.Name != want {
			problems = append(problems, fmt.Sprintf("package %s, want %s", f.Name.Name, want))
		}
	}
	// Go 1.20 is the last version without min, max, clear and the newer kinds of range, which Yaegi does not support.
	conf := types.Config{Importer: c, GoVersion: "go1.20", Error: func(err error) { problems = append(problems, err.Error()) }}
	info := &types.Info{Instances: map[*ast.Ident]types.Instance{}, Types: map[ast.Expr]types.TypeAndValue{}}
	pkg, err := conf.Check(module, c.files, sources, info)
	if err != nil {
		return nil, problems // conf.Error recorded the error
	}
	problems = append(problems, c.unsupported(sources, info)...)
	exports, wrong := probe(pkg)
	return exports, append(problems, wrong...)
}

func (c *checker) parse(dir string) ([]*ast.File, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var parsed []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(c.files, name, nil, 0)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, f)
	}
	return parsed, nil
}

// unsupported finds valid Go that Yaegi rejects or runs differently.
func (c *checker) unsupported(sources []*ast.File, info *types.Info) []string {
	var found []string
	report := func(node ast.Node, what string) {
		found = append(found, fmt.Sprintf("%s: %s", c.files.Position(node.Pos()), what))
	}
	for id := range info.Instances {
		report(id, "generics are not interpreted")
	}
	for _, f := range sources {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncType:
				if n.TypeParams != nil {
					report(n, "generics are not interpreted")
				}
			case *ast.SwitchStmt:
				if n.Tag != nil && types.IsInterface(info.TypeOf(n.Tag)) {
					report(n, "a switch over an interface panics when interpreted")
				}
			}
			return true
		})
	}
	slices.Sort(found)
	return found
}

// probe returns the functions that the package exports for aura, and each hook whose signature differs from the table.
func probe(pkg *types.Package) (exports, problems []string) {
	for _, point := range hookpoint.All() {
		obj := pkg.Scope().Lookup(string(point.Name))
		if obj == nil {
			continue
		}
		exports = append(exports, obj.Name())
		if got := signature(obj); got != point.Signature.String() {
			problems = append(problems, fmt.Sprintf("%s has signature %s, want %s", obj.Name(), got, point.Signature))
		}
	}
	if pkg.Scope().Lookup("Schema") != nil && pkg.Scope().Lookup("Execute") != nil {
		exports = append(exports, "Execute", "Schema")
	}
	if len(exports) == 0 {
		problems = append(problems, "the plugin exports neither a hook nor a tool")
	}
	slices.Sort(exports)
	return exports, problems
}

// signature returns a function's type as package reflect prints it, without the names of parameters.
func signature(obj types.Object) string {
	sig, ok := obj.Type().(*types.Signature)
	if !ok {
		return obj.Type().String()
	}
	bare := types.NewSignatureType(nil, nil, nil, unnamed(sig.Params()), unnamed(sig.Results()), sig.Variadic())
	return types.TypeString(bare, (*types.Package).Name)
}

func unnamed(tuple *types.Tuple) *types.Tuple {
	var vars []*types.Var
	for v := range tuple.Variables() {
		vars = append(vars, types.NewVar(token.NoPos, nil, "", v.Type()))
	}
	return types.NewTuple(vars...)
}

func checkModule(dir string) (module string, problems []string) {
	file := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(file)
	if err != nil {
		return "", []string{err.Error()}
	}
	mod, err := modfile.Parse(file, text, nil)
	if err != nil {
		return "", []string{err.Error()}
	}
	if name := mod.Module.Mod.Path; name != filepath.Base(dir) {
		problems = append(problems, fmt.Sprintf("module %s, want %s", name, filepath.Base(dir)))
	}
	if mod.Go == nil || mod.Go.Version != "1.25" {
		problems = append(problems, "go.mod does not say go 1.25")
	}
	for _, r := range mod.Require {
		if r.Mod.Path != sdkPath {
			problems = append(problems, "requires "+r.Mod.Path+", which is not vendored")
		} else if r.Mod.Version != "v"+version.Version {
			problems = append(problems, "requires the SDK at "+r.Mod.Version+", this is v"+version.Version)
		}
	}
	return mod.Module.Mod.Path, problems
}

func checkManifest(dir string) []string {
	text, err := os.ReadFile(filepath.Join(dir, "plugin.yaml"))
	if err != nil {
		return []string{err.Error()}
	}
	var manifest struct {
		Description string `yaml:"description"`
	}
	if err := yaml.Unmarshal(text, &manifest); err != nil {
		return []string{fmt.Sprintf("plugin.yaml: %v", err)}
	}
	if manifest.Description == "" {
		return []string{"plugin.yaml has no description"}
	}
	return nil
}
