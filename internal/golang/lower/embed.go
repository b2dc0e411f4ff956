package lower

import (
	"go/types"
	"strconv"
	"strings"
)

// embed sets a variable to the files that its go:embed directives name, before any other variable of the package.
func (f *fn) embed(v types.Object, list []Embedded) string {
	name, named := f.globalName(v), f.typ(v.Type(), v.Pos())
	if t, ok := types.Unalias(v.Type()).(*types.Named); ok && t.Obj().Pkg() != nil && t.Obj().Pkg().Path() == "embed" && t.Obj().Name() == "FS" {
		var files []string
		for _, file := range list {
			files = append(files, strconv.Quote(file.Name), strconv.Quote(file.Text))
		}
		return set(name, boxAlias+".Embed("+strings.Join(files, ", ")+")") + "\n"
	}
	basic, isText := v.Type().Underlying().(*types.Basic)
	slice, isSlice := v.Type().Underlying().(*types.Slice)
	if isSlice {
		basic, _ = slice.Elem().Underlying().(*types.Basic)
	}
	switch {
	case isText && basic.Kind() == types.String, isSlice && basic != nil && basic.Kind() == types.Uint8:
	default:
		refuse(v.Pos(), "go:embed cannot set a variable of type %s; use string, []byte or embed.FS", v.Type())
	}
	if len(list) != 1 {
		refuse(v.Pos(), "go:embed has %d files for %s, which holds one; use embed.FS", len(list), v.Name())
	}
	return set(name, named+"("+strconv.Quote(list[0].Text)+")") + "\n"
}
