package library

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// sources holds the packages of generic functions, and the generic part of others. They are written for the interpreter: simple loops.
//
//go:embed generic/*.txt
var sources embed.FS

// Generics returns the paths of the packages that exist as source.
func Generics() []string { return []string{"cmp", "iter", "maps", "slices", "unique"} }

// mixed lists the packages of which the generic functions and types exist as source, and the rest as symbols.
var mixed = []string{"database/sql", "errors", "math/rand/v2", "reflect", "sync", "sync/atomic"}

// Later returns the paths of the packages that plugins may import and that are missing in the tables of the interpreter.
func Later() []string {
	return []string{
		"crypto/fips140", "crypto/hkdf", "crypto/hpke", "crypto/mlkem", "crypto/pbkdf2", "crypto/sha3", "embed", "structs", "testing/synctest",
	}
}

// Sources returns the paths of the packages that exist as source, or in part.
func Sources() []string { return slices.Concat(Generics(), mixed) }

// IsGeneric reports whether a package exists as source.
func IsGeneric(path string) bool { return slices.Contains(Generics(), path) }

// Generic is the source of a package of generic functions, or of the generic part of a package. Its files belong to the file set of Files.
type Generic struct {
	File  *ast.File
	Types *types.Package
	Info  *types.Info
}

// Files is the file set of the generic packages.
var Files = token.NewFileSet()

// generics holds the packages of Sources that are compiled. It is guarded by compiling. They import none that differs between libraries, so all
// libraries share them.
var generics = map[string]*Generic{}

// Source returns a generic package that was imported.
func Source(path string) *Generic {
	compiling.Lock()
	defer compiling.Unlock()
	return generics[path]
}

func compileGeneric(path string) (*types.Package, error) {
	if g := generics[path]; g != nil {
		return g.Types, nil
	}
	text, err := sources.ReadFile("generic/" + strings.ReplaceAll(path, "/", "_") + ".go.txt")
	if err != nil {
		return nil, ErrUnknown
	}
	f, err := parser.ParseFile(Files, path+".go", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("reading the source of %s: %w", path, err)
	}
	files := []*ast.File{f}
	if !IsGeneric(path) {
		rest, err := parser.ParseFile(Files, path+"_declarations.go", library()[path], parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("reading the declarations of %s: %w", path, err)
		}
		files = append(files, rest)
	}
	g := &Generic{File: f, Info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{},
		Implicits: map[ast.Node]types.Object{}, Scopes: map[ast.Node]*types.Scope{},
	}}
	config := types.Config{Importer: importer{standard}}
	g.Types, err = config.Check(path, Files, files, g.Info)
	if err != nil {
		return nil, fmt.Errorf("reading the source of %s: %w", path, err)
	}
	generics[path] = g
	return g.Types, nil
}
