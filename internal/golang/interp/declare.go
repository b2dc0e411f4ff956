package interp

import (
	"fmt"
	"go/constant"
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/golang/interp/symtab"
	"github.com/idelchi/aura/internal/golang/library"
)

// systemLibrary returns the library of plugins that import syscall. Its symbols differ from system to system, so the declarations come from the
// values that are compiled into this program.
var systemLibrary = sync.OnceValue(func() *library.Library {
	return library.With(systemPackage, declare(systemPackage, symtab.Restricted(systemPackage)))
})

const systemPackage = "syscall"

// declarer writes the declarations of a package.
type declarer struct {
	path string
	// imports holds the local names of other packages by their paths.
	imports map[string]string
	// hidden holds types without an exported name that declarations mention, and types those that are declared.
	hidden map[string]reflect.Type
	types  []reflect.Type
	b      strings.Builder
}

// declare returns the source of a package that declares what a table has.
func declare(path string, table symtab.Table) string {
	d := &declarer{path: path, imports: map[string]string{}, hidden: map[string]reflect.Type{}}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if !strings.HasPrefix(name, "_") { // the name of a wrapper
			d.symbol(name, table[name])
		}
	}
	d.implement()
	for _, name := range slices.Sorted(maps.Keys(d.hidden)) {
		fmt.Fprintf(&d.b, "type %s %s\n", name, d.literal(d.hidden[name]))
	}
	var head strings.Builder
	fmt.Fprintln(&head, "package", path[strings.LastIndex(path, "/")+1:])
	for _, imported := range slices.Sorted(maps.Keys(d.imports)) {
		fmt.Fprintf(&head, "import %s %q\n", d.imports[imported], imported)
	}
	return head.String() + d.b.String()
}

func (d *declarer) symbol(name string, v reflect.Value) {
	t := v.Type()
	if c, ok := reflect.TypeAssert[constant.Value](v); ok {
		fmt.Fprintf(&d.b, "const %s = %s\n", name, c.ExactString())
		return
	}
	switch {
	case v.CanAddr():
		fmt.Fprintf(&d.b, "var %s %s\n", name, d.typ(t))
	case t.Kind() == reflect.Func:
		fmt.Fprintf(&d.b, "func %s%s\n", name, d.signature(t, 0))
	case t.Kind() == reflect.Pointer && v.IsNil():
		d.declaration(name, t.Elem())
	case t.Kind() == reflect.String:
		fmt.Fprintf(&d.b, "const %s %s = %q\n", name, d.typ(t), v)
	default:
		fmt.Fprintf(&d.b, "const %s %s = %v\n", name, d.typ(t), plain(v))
	}
}

// plain returns a value without its type, whose methods would print something else.
func plain(v reflect.Value) any {
	switch {
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return v.Uint()
	default:
		return v.Bool()
	}
}

// declaration writes a type with its exported methods.
func (d *declarer) declaration(name string, t reflect.Type) {
	if t.Name() != name {
		fmt.Fprintf(&d.b, "type %s = %s\n", name, d.typ(t))
		return
	}
	d.types = append(d.types, t)
	fmt.Fprintf(&d.b, "type %s %s\n", name, d.literal(t))
	if t.Kind() == reflect.Interface {
		return
	}
	byValue := map[string]bool{}
	for m := range t.Methods() {
		byValue[m.Name] = true
		fmt.Fprintf(&d.b, "func (%s) %s%s\n", name, m.Name, d.signature(m.Type, 1))
	}
	for m := range reflect.PointerTo(t).Methods() {
		if !byValue[m.Name] {
			fmt.Fprintf(&d.b, "func (*%s) %s%s\n", name, m.Name, d.signature(m.Type, 1))
		}
	}
}

// implement declares the methods without an exported name by which types implement interfaces of the package. Reflection does not list
// them, but knows which types have them.
func (d *declarer) implement() {
	for _, i := range d.types {
		if i.Kind() != reflect.Interface {
			continue
		}
		for m := range i.Methods() {
			for _, t := range d.types {
				switch {
				case m.IsExported() || t.Kind() == reflect.Interface:
				case t.Implements(i):
					fmt.Fprintf(&d.b, "func (%s) %s%s\n", t.Name(), m.Name, d.signature(m.Type, 0))
				case reflect.PointerTo(t).Implements(i):
					fmt.Fprintf(&d.b, "func (*%s) %s%s\n", t.Name(), m.Name, d.signature(m.Type, 0))
				}
			}
		}
	}
}

// signature returns the parameters and results of a function, without the first parameters.
func (d *declarer) signature(t reflect.Type, without int) string {
	var in, out []string
	for i := without; i < t.NumIn(); i++ {
		text := d.typ(t.In(i))
		if t.IsVariadic() && i == t.NumIn()-1 {
			text = "..." + d.typ(t.In(i).Elem())
		}
		in = append(in, text)
	}
	for o := range t.Outs() {
		out = append(out, d.typ(o))
	}
	return "(" + strings.Join(in, ", ") + ") (" + strings.Join(out, ", ") + ")"
}

// typ returns a type as source.
func (d *declarer) typ(t reflect.Type) string {
	switch {
	case t.Name() == "", t.PkgPath() == "" && t.Kind() != reflect.UnsafePointer:
		return d.literal(t)
	case t.PkgPath() == d.path:
		if !token.IsExported(t.Name()) {
			d.hidden[t.Name()] = t
		}
		return t.Name()
	}
	path := t.PkgPath()
	if t.Kind() == reflect.UnsafePointer {
		path = "unsafe"
	}
	local := "p_" + strings.ReplaceAll(path, "/", "_")
	d.imports[path] = local
	return local + "." + t.Name()
}

// literal returns a type by its structure, even if it has a name.
func (d *declarer) literal(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + d.typ(t.Elem())
	case reflect.Slice:
		return "[]" + d.typ(t.Elem())
	case reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), d.typ(t.Elem()))
	case reflect.Map:
		return "map[" + d.typ(t.Key()) + "]" + d.typ(t.Elem())
	case reflect.Chan:
		return t.ChanDir().String() + " " + d.typ(t.Elem())
	case reflect.Func:
		return "func" + d.signature(t, 0)
	case reflect.Struct:
		return d.fields(t)
	case reflect.Interface:
		if t.PkgPath() == "" && t.Name() != "" {
			return t.Name() // error
		}
		var methods []string
		for m := range t.Methods() {
			methods = append(methods, m.Name+d.signature(m.Type, 0))
		}
		return "interface{" + strings.Join(methods, "; ") + "}"
	default:
		return t.Kind().String()
	}
}

func (d *declarer) fields(t reflect.Type) string {
	var out []string
	for f := range t.Fields() {
		switch {
		case f.Anonymous:
			out = append(out, d.typ(f.Type))
		case f.IsExported():
			out = append(out, f.Name+" "+d.typ(f.Type))
		default:
			// A plugin cannot name the field. Its type may belong to a package that no plugin can import.
			out = append(out, f.Name+" int")
		}
	}
	return "struct{" + strings.Join(out, "; ") + "}"
}
