package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/golang/library"
)

// Path is the import path of the package that lowered source imports, and boxAlias its name there.
const (
	Path     = "aura.internal/box"
	boxAlias = "aura_box"
)

// gen lowers one package.
type gen struct {
	*program

	pkg     *Package
	imports map[string]string
	// taken holds the names that variables of functions must not have.
	taken map[string]bool
	// helpers maps what a generated function does to its name. extra holds their text. instanceNames holds the names of instances of generic functions.
	helpers       map[helperKey]string
	instanceNames map[string]string
	extra         strings.Builder
	// placed holds the functions that belong to a file of the source, by its name.
	placed map[string]*strings.Builder
	// structs holds the names of the struct types of this package by the keys of the types.
	structs map[string]string
	// described holds the types that this package describes at run time, and table their descriptions.
	described map[int]bool
	table     strings.Builder
	register  strings.Builder
	// inits holds the names of the init functions.
	inits []string
	count int
	// waiting holds work that is done after the rest of the package.
	waiting []func()
}

func newGen(p *program, pkg *Package) *gen {
	g := &gen{
		program: p, pkg: pkg, imports: map[string]string{}, taken: map[string]bool{"init": true}, helpers: map[helperKey]string{}, instanceNames: map[string]string{},
		placed: map[string]*strings.Builder{}, structs: map[string]string{}, described: map[int]bool{},
	}
	for _, name := range types.Universe.Names() {
		g.taken[name] = true
	}
	for _, name := range pkg.Types.Scope().Names() {
		g.taken[name] = true
	}
	g.taken[boxAlias] = true
	return g
}

func refuse(at token.Pos, format string, args ...any) {
	panic(refusal{at, fmt.Sprintf(format, args...)})
}

// use returns the name by which a package is referred to.
func (g *gen) use(p *types.Package) string {
	if name := g.imports[p.Path()]; name != "" {
		return name
	}
	name := p.Name()
	if !slices.Contains(g.pkg.Types.Imports(), p) {
		// The source does not import it, so a variable could have the name.
		name = "aura_" + name
	}
	for g.pkg.Types.Scope().Lookup(name) != nil || slices.Contains(g.importNames(), name) || types.Universe.Lookup(name) != nil {
		name += "_"
	}
	g.imports[p.Path()] = name
	return name
}

func (g *gen) importNames() []string {
	var out []string
	for _, name := range g.imports {
		out = append(out, name)
	}
	return out
}

func (g *gen) importList() string {
	list := []string{"import " + boxAlias + " " + strconv.Quote(Path)}
	for path, name := range g.imports {
		list = append(list, "import "+name+" "+strconv.Quote(path))
	}
	slices.Sort(list)
	return strings.Join(list, "; ")
}

// fresh returns a new name.
func (g *gen) fresh(kind string) string {
	g.count++
	return "aura_" + kind + strconv.Itoa(g.count)
}

// helperKey says what a generated function does: the operation, the type that it is for, and what else it depends on.
type helperKey struct{ does, of, with string }

// helper returns the name of the generated function that does something. text returns its text after the name.
func (g *gen) helper(key helperKey, text func() string) string {
	if name := g.helpers[key]; name != "" {
		return name
	}
	name := g.fresh("f")
	g.helpers[key] = name
	body := text()
	fmt.Fprintf(&g.extra, "func %s%s\n", name, body)
	return name
}

// place returns where a function is written that the file at a position declares.
func (g *gen) place(src *Package, at token.Pos) *strings.Builder {
	name := src.Fset.PositionFor(at, false).Filename
	if g.placed[name] == nil {
		g.placed[name] = &strings.Builder{}
	}
	return g.placed[name]
}

// file lowers the declarations of a file.
func (g *gen) file(f *ast.File) string {
	// Imports are evaluated for their names first, so that no variable hides them.
	for _, spec := range f.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil {
			for _, p := range g.pkg.Types.Imports() {
				if p.Path() == path && !library.IsGeneric(p.Path()) {
					g.taken[g.use(p)] = true
				}
			}
		}
	}
	var b strings.Builder
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			b.WriteString(g.funcDecl(d))
		case *ast.GenDecl:
			b.WriteString(g.genDecl(d))
		}
	}
	return b.String()
}

func (g *gen) genDecl(d *ast.GenDecl) string {
	if d.Tok != token.VAR {
		return g.placeholders(d)
	}
	f := &fn{gen: g, src: g.pkg}
	var b strings.Builder
	for _, spec := range d.Specs {
		for _, name := range spec.(*ast.ValueSpec).Names { //nolint:forcetypeassert // by the syntax
			if obj := g.pkg.Info.Defs[name]; obj != nil && name.Name != "_" {
				fmt.Fprintf(&b, "%svar %s %s\n", f.line(name.Pos()), g.globalName(obj), g.typ(obj.Type(), name.Pos()))
			}
		}
	}
	return b.String()
}

// placeholders declares the exported constants and types under their names, so that the loader finds that they are no functions. A struct type is
// written where it is used first; other packages find it only here.
func (g *gen) placeholders(d *ast.GenDecl) string {
	var b strings.Builder
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() {
				fmt.Fprintf(&b, "type %s struct{}\n", spec.Name.Name)
			}
			if obj := g.pkg.Info.Defs[spec.Name]; g.abroad[obj] && spec.TypeParams == nil {
				g.typ(obj.Type(), spec.Pos())
			}
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				if name.IsExported() {
					fmt.Fprintf(&b, "const %s = 0\n", name.Name)
				}
			}
		}
	}
	return b.String()
}

func (g *gen) funcDecl(d *ast.FuncDecl) string {
	fn, _ := g.pkg.Info.Defs[d.Name].(*types.Func)
	if fn == nil || d.Name.Name == "_" {
		return ""
	}
	sig := fn.Signature()
	if sig.TypeParams() != nil || sig.RecvTypeParams() != nil {
		return ""
	}
	if d.Body == nil {
		refuse(d.Pos(), "the function %s has no body; write it in Go", d.Name.Name)
	}
	name := g.globalName(fn)
	switch {
	case sig.Recv() != nil:
		name = g.methodName(fn, nil)
	case name == "init":
		name = g.fresh("init")
		g.inits = append(g.inits, name)
	}
	return g.function(g.pkg, d, name, nil)
}

// function writes a declared function, or an instance of it. One that calls recover is written twice: as it is called, and as it is
// deferred.
func (g *gen) function(src *Package, d *ast.FuncDecl, name string, env map[*types.TypeParam]types.Type) string {
	text := g.variant(src, d, name, env, "")
	if recoversItself(d.Body) {
		text += g.variant(src, d, name+recovering, env, "aura_u")
	}
	return text
}

func (g *gen) variant(src *Package, d *ast.FuncDecl, name string, env map[*types.TypeParam]types.Type, recovery string) string {
	obj := src.Info.Defs[d.Name].(*types.Func) //nolint:forcetypeassert // the caller checked
	f := &fn{
		gen: g, src: src, info: src.Info, within: d, node: d, env: env, names: map[types.Object]string{}, pointers: map[types.Object]bool{}, direct: map[ast.Node]bool{},
		recovery: recovery,
	}
	sig := obj.Signature()
	f.begin(d.Body)
	head := f.signature(sig, sig.Recv())
	if recovery != "" {
		head = strings.Replace("("+recovery+" "+unwinding+", "+head[1:], ", )", ")", 1)
	}
	return fmt.Sprintf("%sfunc %s%s %s\n", f.line(d.Name.Pos()), name, head, f.body(d.Body))
}

// start returns the init function: it describes the types, sets the variables of the package in the order of Go, and calls the
// init functions of the source.
func (g *gen) start() string {
	f := &fn{gen: g, src: g.pkg, info: g.pkg.Info, names: map[types.Object]string{}, pointers: map[types.Object]bool{}, direct: map[ast.Node]bool{}}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(g.pkg.Embedded)) {
		b.WriteString(f.embed(g.pkg.Types.Scope().Lookup(name), g.pkg.Embedded[name]))
	}
	for _, init := range g.pkg.Info.InitOrder {
		b.WriteString(f.initialise(init))
	}
	for _, name := range g.inits {
		fmt.Fprintf(&b, "%s()\n", name)
	}
	for len(g.waiting) > 0 {
		work := g.waiting[0]
		g.waiting = g.waiting[1:]
		work()
	}
	return fmt.Sprintf("func init() {\n%s.Types(%s)\n%s%s}\n", boxAlias, strconv.Quote(g.table.String()), g.register.String(), b.String())
}

// rest returns the generated functions and the struct types.
func (g *gen) rest() string { return g.extra.String() }

// initialise sets variables of the package. A function of its own gives errors a position.
func (f *fn) initialise(init *types.Initializer) string {
	name := f.fresh("var")
	var b strings.Builder
	fmt.Fprintf(&b, "%sfunc %s() {/*in %s.init*/\n", f.line(init.Rhs.Pos()), name, f.src.Path)
	if len(init.Lhs) == 1 {
		v := init.Lhs[0]
		x := f.conv(init.Rhs, v.Type())
		if v.Name() == "_" {
			fmt.Fprintf(&b, "%svar aura_v %s = %s\n_ = aura_v\n", f.line(init.Rhs.Pos()), f.typ(v.Type(), v.Pos()), x)
		} else {
			b.WriteString(f.line(init.Rhs.Pos()) + set(f.globalName(v), x) + "\n")
		}
	} else {
		from := f.tupleOf(init.Rhs, len(init.Lhs))
		var temps, sets []string
		for i, v := range init.Lhs {
			temp := "_"
			if v.Name() != "_" {
				temp = f.fresh("v")
				sets = append(sets, set(f.globalName(v), f.change(temp, from[i], v.Type(), init.Rhs.Pos())))
			}
			temps = append(temps, temp)
		}
		op := ":="
		if len(sets) == 0 {
			op = "="
		}
		fmt.Fprintf(&b, "%s%s %s %s\n%s\n", f.line(init.Rhs.Pos()), strings.Join(temps, ", "), op, f.multi(init.Rhs), strings.Join(sets, "\n"))
	}
	b.WriteString("/*out*/}\n")
	f.place(f.src, init.Rhs.Pos()).WriteString(b.String())
	return name + "()\n"
}
