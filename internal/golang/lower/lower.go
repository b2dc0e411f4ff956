package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
)

// Package is a type-checked package.
type Package struct {
	Path string
	// Mixed is set if the package is a part of the library of which only some declarations exist as source: those of Files.
	Mixed bool
	// Vendored is set if the package is not part of the plugin's module.
	Vendored bool
	// SharedLoops is set if the iterations of a loop share its variables, as before Go 1.22.
	SharedLoops bool
	Fset        *token.FileSet
	Files       []*ast.File
	Types       *types.Package
	Info        *types.Info
	// Embedded holds the files that go:embed directives name, sorted, by the names of their variables.
	Embedded map[string][]Embedded
}

// Embedded is a file that becomes part of the program. Its name is relative to the package, with slashes.
type Embedded struct{ Name, Text string }

// NewInfo returns an Info with all that Program needs.
func NewInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{},
		Implicits: map[ast.Node]types.Object{}, Scopes: map[ast.Node]*types.Scope{},
	}
}

// File is a lowered file. Its marks refer to the file of that name.
type File struct {
	Name string
	Text string
}

// Error reports what cannot be lowered.
type Error struct {
	At      token.Position
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.At.Filename, e.At.Line, e.Message) }

// refusal is the panic that ends lowering.
type refusal struct {
	at      token.Pos
	message string
}

// The limits of what instances of generic functions and types add to a plugin: their number, and the size of their text in bytes.
const (
	MaxInstances    = 5000
	maxInstanceText = 32 << 20
)

// program is what the packages of a plugin share.
type program struct {
	sources map[*types.Package]*Package
	decls   map[*types.Func]*ast.FuncDecl
	// ids numbers the types that the program asks for at run time. shapes caches boxed.
	ids    map[string]int
	shapes map[string]bool
	// shared holds the variables and functions that are not exported and that generic functions use, of which other packages have instances.
	shared map[types.Object]bool
	// abroad holds the types that packages other than their own name.
	abroad map[types.Object]bool
	// locals numbers the types that are declared in functions.
	locals map[*types.TypeName]int
	// localTypes holds the types that instances of generic functions declare, and written their names.
	localTypes map[string]types.Type
	written    map[*types.TypeName]bool
	instances  int
	// instanceText is the size of the text of all instances so far, in bytes.
	instanceText int
	context      *types.Context
	// titles holds the names of the functions of the source, as Go reports them.
	titles map[ast.Node]string
	// quietFuncs and sharedVars cache quiet and isShared.
	quietFuncs map[*types.Func]bool
	sharedVars map[*ast.FuncDecl]map[types.Object]bool
}

// Program lowers the packages of a plugin, which are sorted so that a package comes after those that it imports. generic holds
// the library packages that exist as source; they are not lowered themselves. It returns the files of each package.
func Program(packages, generic []*Package) (out map[string][]File, err error) { //nolint:gocognit // one case after the other
	p := &program{
		sources: map[*types.Package]*Package{}, decls: map[*types.Func]*ast.FuncDecl{}, ids: map[string]int{}, shapes: map[string]bool{}, shared: map[types.Object]bool{}, abroad: map[types.Object]bool{},
		locals: map[*types.TypeName]int{}, localTypes: map[string]types.Type{}, written: map[*types.TypeName]bool{}, context: types.NewContext(), titles: map[ast.Node]string{},
		quietFuncs: map[*types.Func]bool{}, sharedVars: map[*ast.FuncDecl]map[types.Object]bool{},
	}
	var current *Package
	defer func() {
		if v := recover(); v != nil {
			r, ok := v.(refusal)
			if !ok {
				// The checker calls this in aura itself, which a plugin's source must not end.
				r = refusal{current.Files[0].Package, fmt.Sprintf("aura cannot lower this package, which is a fault of aura: %v", v)}
			}
			if !r.at.IsValid() {
				r.at = current.Files[0].Package
			}
			out, err = nil, &Error{At: current.Fset.PositionFor(r.at, false), Message: r.message}
		}
	}()
	for _, list := range [][]*Package{generic, packages} {
		for _, pkg := range list {
			p.sources[pkg.Types] = pkg
			p.nameFunctions(pkg)
			for _, obj := range pkg.Info.Uses {
				if t, ok := obj.(*types.TypeName); ok && t.Pkg() != pkg.Types {
					p.abroad[t] = true
				}
			}
			for _, f := range pkg.Files {
				for _, d := range f.Decls {
					if d, ok := d.(*ast.FuncDecl); ok {
						if fn, ok := pkg.Info.Defs[d.Name].(*types.Func); ok {
							p.decls[fn] = d
							p.share(pkg, fn, d)
						}
					}
				}
			}
		}
	}
	out = map[string][]File{}
	for _, current = range packages {
		pkg := current
		out[pkg.Path] = newGen(p, pkg).files()
	}
	return out, nil
}

// share exports what a generic function uses.
func (p *program) share(pkg *Package, fun *types.Func, d *ast.FuncDecl) {
	if sig := fun.Signature(); sig.TypeParams().Len() == 0 && sig.RecvTypeParams().Len() == 0 {
		return
	}
	ast.Inspect(d, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		switch obj := pkg.Info.Uses[id].(type) {
		case *types.Var, *types.Func:
			if obj.Parent() == pkg.Types.Scope() && !obj.Exported() {
				p.shared[obj] = true
			}
		}
		return true
	})
}

// sourceOf returns the package of the source that declares an object, or nil.
func (p *program) sourceOf(obj types.Object) *Package {
	pkg := p.sources[obj.Pkg()]
	if pkg == nil || !pkg.Mixed {
		return pkg
	}
	for _, f := range pkg.Files {
		if f.FileStart <= obj.Pos() && obj.Pos() < f.FileEnd {
			return pkg
		}
	}
	return nil
}

// files lowers a package.
func (g *gen) files() []File {
	var bodies []string
	for _, f := range g.pkg.Files {
		bodies = append(bodies, g.file(f))
	}
	start := g.start()
	rest := g.rest()
	head := "package " + g.pkg.Types.Name() + "; " + g.importList() + "\n"
	var out []File
	for i, f := range g.pkg.Files {
		name := g.pkg.Fset.PositionFor(f.Package, false).Filename
		if more := g.placed[name]; more != nil {
			bodies[i] += more.String()
			delete(g.placed, name)
		}
		out = append(out, File{name, head + bodies[i]})
	}
	for _, name := range slices.Sorted(maps.Keys(g.placed)) {
		out = append(out, File{name, head + g.placed[name].String()})
	}
	dir := filepath.Dir(g.pkg.Fset.PositionFor(g.pkg.Files[0].Package, false).Filename)
	return append(out, File{filepath.Join(dir, ownFile), head + start + rest})
}

// ownFile is the name of the file with what belongs to no file of the package.
const ownFile = "aura_lowered.go"
