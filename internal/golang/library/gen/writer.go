package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// writer collects declarations and all types that they refer to, in any package.
type writer struct {
	importer types.Importer
	// own holds the packages of the SDK.
	own     map[string]*types.Package
	objects map[*types.Package]map[string]types.Object
	queue   []types.Object
}

func newWriter(i types.Importer) *writer {
	return &writer{importer: i, own: map[string]*types.Package{}, objects: map[*types.Package]map[string]types.Object{}}
}

// source reads a package of the SDK and returns the names that it exports.
func (w *writer) source(dir string) ([]string, error) {
	names, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	pkg, err := (&types.Config{Importer: w}).Check(module+dir, fset, files, nil)
	if err != nil {
		return nil, fmt.Errorf("checking the SDK: %w", err)
	}
	w.own[pkg.Path()] = pkg
	return slices.DeleteFunc(pkg.Scope().Names(), func(name string) bool { return !token.IsExported(name) }), nil
}

// Import implements types.Importer.
func (w *writer) Import(path string) (*types.Package, error) {
	if own := w.own[path]; own != nil {
		return own, nil
	}
	return w.importer.Import(path)
}

// add adds the named objects of a package, or all that it exports and that is not generic. It skips names that this Go release does not have.
func (w *writer) add(path string, names []string) error {
	pkg, err := w.Import(path)
	if err != nil {
		return fmt.Errorf("importing %s: %w", path, err)
	}
	if w.objects[pkg] == nil {
		w.objects[pkg] = map[string]types.Object{}
	}
	all := names == nil
	if all {
		names = pkg.Scope().Names()
	}
	for _, name := range names {
		if obj := pkg.Scope().Lookup(name); obj != nil && obj.Exported() && (!all || !isGeneric(obj)) {
			w.want(obj)
		}
	}
	for len(w.queue) > 0 {
		obj := w.queue[0]
		w.queue = w.queue[1:]
		w.declaration(obj)
	}
	return nil
}

// isGeneric reports whether an object has type parameters.
func isGeneric(obj types.Object) bool {
	switch t := obj.Type().(type) {
	case *types.Signature:
		return t.TypeParams().Len() > 0
	case *types.Named:
		return t.TypeParams().Len() > 0
	case *types.Alias:
		return t.TypeParams().Len() > 0
	}
	return false
}

// want queues an object for declaration.
func (w *writer) want(obj types.Object) {
	pkg := obj.Pkg()
	if pkg == nil {
		return
	}
	if w.objects[pkg] == nil {
		w.objects[pkg] = map[string]types.Object{}
	}
	if w.objects[pkg][obj.Name()] == nil {
		w.objects[pkg][obj.Name()] = obj
		w.queue = append(w.queue, obj)
	}
}

// text renders all packages, sorted by path.
func (w *writer) text() []byte {
	var out bytes.Buffer
	packages := slices.SortedFunc(maps.Keys(w.objects), func(a, b *types.Package) int { return strings.Compare(a.Path(), b.Path()) })
	for _, pkg := range packages {
		var body strings.Builder
		imports := map[string]bool{}
		for _, name := range slices.Sorted(maps.Keys(w.objects[pkg])) {
			text, used := w.declaration(w.objects[pkg][name])
			body.WriteString(text)
			maps.Copy(imports, used)
		}
		fmt.Fprintf(&out, "# %s\npackage %s\n", pkg.Path(), pkg.Name())
		for _, path := range slices.Sorted(maps.Keys(imports)) {
			fmt.Fprintf(&out, "import %s %q\n", alias(path), path)
		}
		out.WriteString(body.String())
	}
	return out.Bytes()
}

// alias returns a unique name for an import.
func alias(path string) string {
	return "p_" + strings.NewReplacer("/", "_", ".", "_", "-", "_").Replace(path)
}

// declaration renders an object and returns the packages that the text mentions.
func (w *writer) declaration(obj types.Object) (string, map[string]bool) {
	d := declarer{writer: w, pkg: obj.Pkg(), imports: map[string]bool{}}
	switch obj := obj.(type) {
	case *types.Const:
		return d.constant(obj), d.imports
	case *types.Var:
		return "var " + obj.Name() + " " + d.typ(obj.Type()) + "\n", d.imports
	case *types.Func:
		return d.function(obj), d.imports
	case *types.TypeName:
		return d.typeName(obj), d.imports
	default:
		return "", nil
	}
}

// declarer renders one declaration.
type declarer struct {
	*writer
	pkg     *types.Package
	imports map[string]bool
}

func (d *declarer) constant(obj *types.Const) string {
	basic, _ := obj.Type().(*types.Basic)
	untyped := basic != nil && basic.Info()&types.IsUntyped != 0
	value := literal(obj.Val())
	if untyped && basic.Kind() == types.UntypedRune {
		if r, ok := constant.Int64Val(obj.Val()); ok {
			value = strconv.QuoteRuneToASCII(rune(r)) //nolint:gosec // the kind says that it is one
		}
	}
	if untyped && basic.Kind() == types.UntypedFloat && !strings.Contains(value, ".0") {
		value += ".0"
	}
	if untyped {
		return fmt.Sprintf("const %s = %s\n", obj.Name(), value)
	}
	return fmt.Sprintf("const %s %s = %s\n", obj.Name(), d.typ(obj.Type()), value)
}

// literal returns an expression with exactly this value.
func literal(v constant.Value) string {
	text := v.ExactString()
	if v.Kind() != constant.Float {
		return text
	}
	if num, den, ok := strings.Cut(text, "/"); ok {
		return num + ".0/" + den + ".0"
	}
	return text + ".0"
}

func (d *declarer) function(obj *types.Func) string {
	sig := obj.Signature()
	text := "func " + d.receiver(sig) + obj.Name() + d.typeParams(sig.TypeParams()) + strings.TrimPrefix(d.typ(bare(sig)), "func")
	if sig.TypeParams().Len() > 0 {
		text += " { panic(0) }"
	}
	return text + "\n"
}

// bare returns a signature without receiver, type parameters and parameter names, because some parameter names are made up by
// the compiler.
func bare(sig *types.Signature) types.Type {
	return types.NewSignatureType(nil, nil, nil, unnamed(sig.Params()), unnamed(sig.Results()), sig.Variadic())
}

func unnamed(tuple *types.Tuple) *types.Tuple {
	var vars []*types.Var
	for v := range tuple.Variables() {
		vars = append(vars, types.NewParam(token.NoPos, nil, "", v.Type()))
	}
	return types.NewTuple(vars...)
}

func (d *declarer) receiver(sig *types.Signature) string {
	if sig.Recv() == nil {
		return ""
	}
	t, star := sig.Recv().Type(), ""
	if p, ok := t.(*types.Pointer); ok {
		t, star = p.Elem(), "*"
	}
	named, ok := t.(*types.Named)
	if !ok {
		return ""
	}
	var params []string
	for p := range sig.RecvTypeParams().TypeParams() {
		params = append(params, p.Obj().Name())
	}
	list := ""
	if len(params) > 0 {
		list = "[" + strings.Join(params, ", ") + "]"
	}
	return "(" + star + named.Obj().Name() + list + ") "
}

func (d *declarer) typeParams(list *types.TypeParamList) string {
	var params []string
	for p := range list.TypeParams() {
		params = append(params, p.Obj().Name()+" "+d.typ(p.Constraint()))
	}
	if len(params) == 0 {
		return ""
	}
	return "[" + strings.Join(params, ", ") + "]"
}

func (d *declarer) typeName(obj *types.TypeName) string {
	if a, ok := obj.Type().(*types.Alias); ok {
		return "type " + obj.Name() + d.typeParams(a.TypeParams()) + " = " + d.typ(a.Rhs()) + "\n"
	}
	named, ok := obj.Type().(*types.Named)
	if !ok {
		return ""
	}
	var text strings.Builder
	text.WriteString("type " + obj.Name() + d.typeParams(named.TypeParams()) + " " + d.typ(trim(named.Underlying())) + "\n")
	for m := range named.Methods() {
		switch {
		case m.Exported():
			text.WriteString(d.function(m))
		case sealing(obj.Pkg(), m.Name()):
			star := ""
			if _, ok := m.Signature().Recv().Type().(*types.Pointer); ok {
				star = "*"
			}
			fmt.Fprintf(&text, "func (%s%s) %s()\n", star, obj.Name(), m.Name())
		}
	}
	return text.String()
}

// sealing reports whether an interface that a package exports has a method that is not exported, so that only types of the package implement
// the interface.
func sealing(pkg *types.Package, method string) bool {
	for _, name := range pkg.Scope().Names() {
		obj, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || !obj.Exported() {
			continue
		}
		iface, ok := obj.Type().Underlying().(*types.Interface)
		if !ok {
			continue
		}
		for m := range iface.Methods() {
			if m.Name() == method {
				return true
			}
		}
	}
	return false
}
