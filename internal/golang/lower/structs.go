package lower

import (
	"fmt"
	"go/token"
	"go/types"
	"strconv"
	"strings"
	"unicode/utf8"
)

// libraryStruct returns the type of the library whose struct a type of the plugin has, or nil. Only the library can write its fields.
func (g *gen) libraryStruct(u *types.Struct) *types.Named {
	if u.NumFields() == 0 || g.sourceOf(u.Field(0)) != nil {
		return nil
	}
	scope := u.Field(0).Pkg().Scope()
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || !obj.Exported() || obj.IsAlias() {
			continue
		}
		if t, ok := obj.Type().(*types.Named); ok && t.Underlying() == u {
			return t
		}
	}
	return nil
}

// structName returns the name of a struct type, and writes the type if it belongs here.
func (g *gen) structName(t *types.Named, u *types.Struct, at token.Pos) string {
	obj := t.Obj()
	global := obj.Parent() == obj.Pkg().Scope() && t.TypeArgs() == nil
	if global && obj.Pkg() != g.pkg.Types {
		return g.use(obj.Pkg()) + ".T_" + obj.Name()
	}
	key := g.key(t)
	if name := g.structs[key]; name != "" {
		return name
	}
	name := "T_" + obj.Name()
	if !global {
		name, _, _ = strings.Cut(name, "[")
		name += "_" + strconv.Itoa(len(g.structs)+1)
		g.instance(at)
	}
	g.structs[key] = name
	text := g.structType(u, at)
	fmt.Fprintf(&g.extra, "type %s %s\n", name, text)
	if refers(text, name) {
		// The interpreter must see a type that refers to itself before the types that use it.
		fmt.Fprintf(&g.extra, "var %s %s\n", g.fresh("t"), name)
	}
	return name
}

// refers reports whether the text of a type mentions a name.
func refers(text, name string) bool {
	for rest := text; ; {
		i := strings.Index(rest, name)
		if i < 0 {
			return false
		}
		if rest = rest[i+len(name):]; rest == "" || !isIdentByte(rest[0]) {
			return true
		}
	}
}

func isIdentByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= utf8.RuneSelf
}

func (g *gen) structType(t *types.Struct, at token.Pos) string {
	var fields []string
	for i := range t.NumFields() {
		f := t.Field(i)
		name := "any"
		if !g.hiddenField(t, i) {
			name = g.typ(f.Type(), at)
		}
		text := g.fieldName(t, i) + " " + name
		if tag := t.Tag(i); tag != "" {
			text += " " + strconv.Quote(tag)
		}
		fields = append(fields, text)
	}
	return "struct { " + strings.Join(fields, "; ") + " }"
}

// fieldName returns the name of a field. Blank fields get a name, because the interpreter gives all of them one.
func (g *gen) fieldName(t *types.Struct, i int) string {
	if name := t.Field(i).Name(); name != "_" {
		return name
	}
	return "blank_" + strconv.Itoa(i)
}
