package scaffold

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"reflect"
	"strings"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/sdk"
)

// hook is a hook point for the templates of a plugin.
type hook struct {
	Name string
	// Context and Result are the types that the function takes and returns.
	Context, Result string
	// About says when the hook is called, in lines. Fields lists the fields of the context beside those of sdk.Context.
	About  []string
	Fields []string
	// Notice reports whether a result can show a notice to the user. If not, the hook returns Returns, a field of its context, whose
	// entries are structs with a role and a content.
	Notice  bool
	Returns string
}

// describeHooks returns the hooks for the templates. Their descriptions are the comments of the SDK.
func describeHooks(points []hookpoint.Point) ([]hook, error) {
	types, err := sdkTypes()
	if err != nil {
		return nil, fmt.Errorf("reading the SDK: %w", err)
	}
	var out []hook
	for _, p := range points {
		h := hook{Name: string(p.Name), Context: p.Context.String(), Result: p.Result.String()}
		described := types[p.Context.Name()]
		h.About = aboutHook(h.Name, p.Context.Name(), described.doc)
		h.Fields = described.fields
		if p.Result.Kind() == reflect.Struct {
			_, h.Notice = p.Result.FieldByName("Notice")
		}
		for f := range p.Context.Fields() {
			if !h.Notice && f.Type == p.Result {
				h.Returns = f.Name
			}
		}
		if !h.Notice && (h.Returns == "" || p.Result != reflect.TypeFor[[]sdk.Message]()) {
			return nil, fmt.Errorf("hook %s returns a %s, for which there is no example", h.Name, h.Result)
		}
		out = append(out, h)
	}
	return out, nil
}

// aboutHook turns the comment of a context type into one of the hook: "XContext is given to X, before …" becomes "X is called before …".
func aboutHook(name, context, doc string) []string {
	text := strings.Join(strings.Fields(doc), " ")
	rest, given := strings.CutPrefix(text, context+" is given to "+name)
	which, observes := strings.CutPrefix(rest, ", which ")
	switch {
	case given && observes:
		text = name + " " + which
	case given && rest == ".":
		text = name + " is a hook."
	case given:
		text = name + " is called" + strings.TrimPrefix(rest, ",")
	default:
		text = name + " is a hook. " + text
	}
	return wrap(text, 100)
}

// wrap breaks a text into lines of at most width bytes, if its words permit that.
func wrap(text string, width int) []string {
	lines := []string{""}
	for word := range strings.FieldsSeq(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case len(*last)+1+len(word) > width:
			lines = append(lines, word)
		default:
			*last += " " + word
		}
	}
	return lines
}

// typeDoc is a struct type of the SDK: its comment, and its own fields as they are declared.
type typeDoc struct {
	doc    string
	fields []string
}

// sdkTypes returns the struct types of the SDK by name.
func sdkTypes() (map[string]typeDoc, error) {
	out := map[string]typeDoc{}
	set := token.NewFileSet()
	for name, text := range install.SDKSource() {
		if !strings.HasSuffix(name, ".go") || strings.Contains(name, "/") {
			continue
		}
		f, err := parser.ParseFile(set, name, text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			declared, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range declared.Specs {
				spec, ok := s.(*ast.TypeSpec)
				if !ok {
					continue
				}
				if structure, ok := spec.Type.(*ast.StructType); ok {
					out[spec.Name.Name] = typeDoc{doc: declared.Doc.Text(), fields: fieldsOf(set, structure)}
				}
			}
		}
	}
	return out, nil
}

// fieldsOf returns the fields of a struct that are not embedded.
func fieldsOf(set *token.FileSet, s *ast.StructType) []string {
	var out []string
	for _, f := range s.Fields.List {
		for _, name := range f.Names {
			var kind strings.Builder
			if printer.Fprint(&kind, set, f.Type) != nil {
				continue // a strings.Builder takes everything
			}
			out = append(out, name.Name+" "+kind.String())
		}
	}
	return out
}
