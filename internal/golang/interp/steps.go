package interp

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/traefik/yaegi/interp"

	"github.com/idelchi/aura/internal/golang/box"
	"github.com/idelchi/aura/internal/golang/core"
)

// The interpreter compiles a function to a graph of nodes, each with a function that executes it, and does not know from which node a panic comes.
// So each node that can panic or call gets a function around its own, which has the number of the node as an argument on the stack. A trace of
// the stack, which Go prints with the arguments, shows the nodes that run. Nothing is recorded while they run.

// step executes a node, as the interpreter declares it: it gets the frame of a function and returns the next step.
type step func(frame unsafe.Pointer) step

// marked identifies a node on the stack: its number and a constant. An array of two is passed in memory, not in registers, so that traces show it.
type marked [2]uintptr

// mark is the constant in marked.
const mark = 0x617572610a

// runNode executes a node.
//
//go:noinline
func runNode(_ marked, own step, frame unsafe.Pointer) step { return own(frame) }

// runChecked is runNode for a node that indexes or slices.
//
//go:noinline
func runChecked(_ marked, own step, n, frame unsafe.Pointer) step {
	defer checked(n, frame)
	return own(frame)
}

// nodeLayout is where the interpreter's nodes keep what is needed here.
type nodeLayout struct {
	child, start, pos, exec, gen, typ uintptr
	// itype is what the nodes have for types, and val where it keeps the type of the source.
	itype reflect.Type
	val   uintptr
}

// layoutOf finds the fields of the interpreter's nodes by their names. A test fails if one is missing.
var layoutOf = sync.OnceValue(func() nodeLayout {
	root, _ := reflect.TypeFor[interp.Program]().FieldByName("root")
	at := func(t reflect.Type, name string) reflect.StructField {
		f, ok := t.FieldByName(name)
		if !ok {
			panic(fmt.Sprintf("the interpreter's %s has no field %s", t, name))
		}
		return f
	}
	node := root.Type.Elem()
	typ := at(node, "typ")
	return nodeLayout{
		at(node, "child").Offset, at(node, "start").Offset, at(node, "pos").Offset, at(node, "exec").Offset, at(node, "gen").Offset, typ.Offset, typ.Type.Elem(), at(typ.Type.Elem(), "val").Offset,
	}
})

// part returns a field of a node.
func part[T any](n unsafe.Pointer, offset uintptr) *T { return (*T)(unsafe.Add(n, offset)) }

// watcher adds the steps of a package.
type watcher struct {
	nodeLayout

	places *places
	// generators holds for each node the function that makes its step.
	generators map[unsafe.Pointer]func(unsafe.Pointer)
	// early holds the nodes whose steps are made anew.
	early []unsafe.Pointer
}

// setExec is a function of the interpreter: it makes the steps of a node and of those that follow, unless they have some.
//
//go:linkname setExec github.com/traefik/yaegi/interp.setExec
func setExec(n unsafe.Pointer)

// evaluate runs a package, so that traces show its nodes. files are its lowered texts.
func evaluate(i *interp.Interpreter, importPath string, files [][]byte) error {
	// The interpreter knows a package that it did not find itself by the name in its clause.
	whole := &ast.File{Name: ast.NewIdent(importPath)}
	w := &watcher{nodeLayout: layoutOf(), places: &places{fset: i.FileSet(), begins: map[string][]begin{}}, generators: map[unsafe.Pointer]func(unsafe.Pointer){}}
	imported := map[string]bool{}
	for n, text := range files {
		// The interpreter finds the imports of a file by its last name. A name stands for the same package in all of them.
		name := path.Join(importPath, strconv.Itoa(n), "f.go")
		f, err := parser.ParseFile(i.FileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("reading the lowered source: %w", err)
		}
		if wrong := verified(i.FileSet(), f, text); wrong != nil {
			file, _, _ := strings.Cut(strings.TrimPrefix(string(text), fileMark), "\n")
			return fmt.Errorf("%s:%d: %w", file, wrong.Line, wrong)
		}
		if n == 0 {
			whole.Package = f.Package
		}
		whole.Decls = append(whole.Decls, slices.DeleteFunc(f.Decls, func(d ast.Decl) bool { return repeated(d, imported) })...)
		w.places.read(name, text)
	}
	program, err := i.CompileAST(whole)
	if err != nil {
		return w.places.located(err)
	}
	register(i, importPath)
	root, _ := reflect.TypeFor[interp.Program]().FieldByName("root")
	w.visit(*part[unsafe.Pointer](unsafe.Pointer(program), root.Offset))
	for _, n := range w.early {
		setExec(n)
	}
	if _, err = i.Execute(program); err != nil {
		if failed, ok := errors.AsType[interp.Panic](err); ok {
			panic(failed.Value)
		}
	}
	return err
}

// verify is set in tests: what lowering writes is checked to be core.
var verify bool

// verified returns the first form of a lowered file that is not core, or nil.
func verified(fset *token.FileSet, f *ast.File, text []byte) *core.Error {
	if !verify {
		return nil
	}
	return core.Check(fset, f, text, operation)
}

// operation reports whether package box has an operation that lowered source may call.
func operation(name string) bool { return operations()[name] }

var operations = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for name := range box.New(wrapperOf, os.Stderr).Symbols() {
		out[name] = true
	}
	return out
})

// register lets other packages import a package. The interpreter does so itself, unless the package has the name of something that Go declares.
func register(i *interp.Interpreter, importPath string) {
	field := func(name string) reflect.Value {
		f := reflect.ValueOf(i).Elem().FieldByName(name)
		return reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()
	}
	key := reflect.ValueOf(importPath)
	if packages := field("srcPkg"); !packages.MapIndex(key).IsValid() {
		symbols := field("scopes").MapIndex(key).Elem().FieldByName("sym")
		packages.SetMapIndex(key, reflect.NewAt(symbols.Type(), symbols.Addr().UnsafePointer()).Elem())
		field("pkgNames").SetMapIndex(key, key)
	}
}

// repeated reports whether a declaration imports what was imported before, and notes what it imports.
func repeated(d ast.Decl, imported map[string]bool) bool {
	g, ok := d.(*ast.GenDecl)
	if !ok || g.Tok != token.IMPORT {
		return false
	}
	g.Specs = slices.DeleteFunc(g.Specs, func(s ast.Spec) bool {
		spec := s.(*ast.ImportSpec) //nolint:forcetypeassert // by the syntax
		key := spec.Path.Value
		if spec.Name != nil {
			key = spec.Name.Name + " " + key
		}
		before := imported[key]
		imported[key] = true
		return before
	})
	return len(g.Specs) == 0
}

// visit prepares the nodes of a tree, before the interpreter makes their steps.
func (w *watcher) visit(n unsafe.Pointer) {
	if n == nil || w.generators[n] != nil {
		return
	}
	if own := *part[func(unsafe.Pointer)](n, w.gen); own != nil {
		w.generators[n] = own
		*part[func(unsafe.Pointer)](n, w.gen) = w.generate
		if exec := part[step](n, w.exec); *exec != nil {
			// The interpreter makes the steps of function literals early.
			*exec = nil
			w.early = append(w.early, n)
		}
	}
	children := *part[[]unsafe.Pointer](n, w.child)
	if len(children) == bodyOf+1 && children[bodyOf] != nil {
		w.begins(*part[unsafe.Pointer](children[bodyOf], w.start))
	}
	for _, c := range children {
		w.visit(c)
	}
}

// bodyOf is the index of the body among the children of a function.
const bodyOf = 3

// begins notes the node with which a function begins.
func (w *watcher) begins(n unsafe.Pointer) {
	if n == nil {
		return
	}
	known.Lock()
	defer known.Unlock()
	if known.starts == nil {
		known.starts = map[uintptr]uintptr{}
	}
	known.starts[uintptr(n)] = w.places.number(*part[token.Pos](n, w.pos))
}

// generate makes the step of a node, and the one around it.
func (w *watcher) generate(n unsafe.Pointer) {
	make := w.generators[n]
	if generatorName(make) == "interp.callBin" {
		w.bare(n, make)
	} else {
		make(n)
	}
	exec := part[step](n, w.exec)
	own := *exec
	if own == nil {
		if generatorName(make) == "interp._return" {
			// The interpreter takes a return without a step for one that has none yet. If it meets it again, it makes one that calls itself.
			*exec = func(unsafe.Pointer) step { return nil }
		}
		return
	}
	*part[func(unsafe.Pointer)](n, w.gen) = make
	if w.quiet(n, make) {
		return
	}
	switch name := generatorName(make); {
	case shifting[name]:
		own = w.shift(n, own)
	case name == "interp.deref":
		own = w.deref(n, own)
	}
	at := marked{w.places.number(*part[token.Pos](n, w.pos)), mark}
	switch name := generatorName(make); {
	case indexing[name]:
		*exec = func(frame unsafe.Pointer) step { return runChecked(at, own, n, frame) }
	case name == "interp.call":
		*exec = func(frame unsafe.Pointer) step { return runCall(at, own, frame) }
	default:
		*exec = func(frame unsafe.Pointer) step { return runNode(at, own, frame) }
	}
}

// bare makes the step of a call of a function from a field of a struct. The interpreter keeps the type of the source beside that of such a function, and
// puts arguments for parameters of type any into interface values of its own, which are not what the function gets from elsewhere. It does not
// while the other type is hidden.
func (w *watcher) bare(n unsafe.Pointer, make func(unsafe.Pointer)) {
	function := part[unsafe.Pointer]((*part[[]unsafe.Pointer](n, w.child))[0], w.typ)
	whole := *function
	copied := reflect.New(w.itype)
	copied.Elem().Set(reflect.NewAt(w.itype, whole).Elem())
	*function = copied.UnsafePointer()
	*part[unsafe.Pointer](*function, w.val) = nil
	make(n)
	*function = whole
}

// quiet reports whether a node neither panics nor calls anything: it combines variables and constants.
func (w *watcher) quiet(n unsafe.Pointer, make func(unsafe.Pointer)) bool {
	if !plainNodes[generatorName(make)] {
		return false
	}
	for _, c := range *part[[]unsafe.Pointer](n, w.child) {
		if len(*part[[]unsafe.Pointer](c, w.child)) == 0 {
			continue
		}
		// An element of a map that is assigned to has no step of its own.
		if inside := w.generators[c]; inside == nil || generatorName(inside) == "interp.nop" || !w.quiet(c, inside) {
			return false
		}
	}
	return true
}

// generatorName returns the name of a function of the interpreter that makes steps.
func generatorName(f func(unsafe.Pointer)) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return name[strings.LastIndexByte(name, '/')+1:]
}

// plainNodes lists the functions that make steps that do not panic with variables and constants as operands.
var plainNodes = names("nop branch reset _return assign inc dec add sub mul and or xor andNot neg pos bitNot not land lor equal notEqual lower lowerEqual greater "+
	"greaterEqual addAssign subAssign mulAssign andAssign orAssign xorAssign andNotAssign _len lenConst", "interp.")

// indexing lists the functions that make steps that index or slice.
var indexing = names("getIndexArray slice slice0", "interp.")

// shifting lists the functions that make steps that shift.
var shifting = names("shl shr shlAssign shrAssign", "interp.")

func names(list, prefix string) map[string]bool {
	out := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		out[prefix+name] = true
	}
	return out
}
