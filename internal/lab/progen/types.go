package progen

import (
	"fmt"
	"slices"
	"strings"
)

// kind is what a type is made of.
type kind int

const (
	integer kind = iota
	float
	text
	boolean
	list
	array
	table
	record
	contract // an interface
	failure  // the interface error
)

// typ is a type of the program.
type typ struct {
	kind kind
	// name is the type as the program writes it.
	name string
	// bits is the size of an integer, and base the type that it is made of.
	bits   int
	signed bool
	base   string
	// elem and key are the parts of lists, arrays and tables; size is the length of an array.
	elem, key *typ
	size      int
	fields    []field
	// methods holds the names of methods without parameters, and their results.
	methods []method
	// members holds the types that implement an interface.
	members []*typ
	// names holds the constants of an enumeration.
	names []string
}

type field struct {
	name     string
	typ      *typ
	embedded bool
}

type method struct {
	name    string
	result  *typ
	pointer bool
}

func basic(name string) *typ {
	switch name {
	case "string":
		return &typ{kind: text, name: name, base: name}
	case "bool":
		return &typ{kind: boolean, name: name, base: name}
	case "float64":
		return &typ{kind: float, name: name, base: name}
	case "int", "int64":
		return &typ{kind: integer, name: name, base: name, bits: 64, signed: true}
	case "uint", "uint64":
		return &typ{kind: integer, name: name, base: name, bits: 64}
	}
	t := &typ{kind: integer, name: name, base: name, signed: name[0] == 'i'}
	if _, err := fmt.Sscanf(strings.TrimLeft(name, "uint"), "%d", &t.bits); err != nil {
		panic(err)
	}
	return t
}

// comparable reports whether values can be compared and used as keys.
func (t *typ) comparable() bool {
	switch t.kind {
	case list, table, failure:
		return false
	case array:
		return t.elem.comparable() && t.elem.kind != contract
	case record:
		// An interface in a struct may hold what cannot be compared. The text of that panic names the interpreter's type.
		return !slices.ContainsFunc(t.fields, func(f field) bool { return !f.typ.comparable() || f.typ.kind == contract })
	default:
		return true
	}
}

// encodable reports whether encoding/json encodes all values and decodes them again.
func (t *typ) encodable() bool {
	switch t.kind {
	case contract, failure:
		return false
	case list, array, table:
		return t.elem.encodable()
	case record:
		return !slices.ContainsFunc(t.fields, func(f field) bool { return !f.typ.encodable() })
	default:
		return true
	}
}

// types declares the types of the program.
func (g *gen) types() {
	for _, name := range []string{"int", "string", "bool", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "uint"} {
		g.all = append(g.all, basic(name))
	}
	g.intType, g.stringType, g.boolType = g.all[0], g.all[1], g.all[2]
	for range 1 + g.n(2) {
		g.enumeration()
	}
	for range 1 + g.n(2) {
		g.renamed()
	}
	for range 3 {
		g.composite()
	}
	for range 2 + g.n(2) {
		g.structure()
		g.composite()
	}
	for range 1 + g.n(2) {
		g.contract()
	}
	g.structure()
	g.failures()
}

// enumeration declares an integer type with constants, and perhaps a method String.
func (g *gen) enumeration() {
	base := basic(g.pick("int", "uint8", "int8", "uint16"))
	t := &typ{kind: integer, name: g.fresh("Enum"), bits: base.bits, signed: base.signed, base: base.name}
	g.print("type %s %s", t.name, base.name)
	g.print("const (")
	for i := range 3 {
		name := fmt.Sprintf("%sC%d", t.name, i)
		t.names = append(t.names, name)
		switch {
		case i > 0 && g.chance(80):
			g.print("\t%s", name)
		case i > 0:
			g.print("\t_\n\t%s", name)
		default:
			g.print("\t%s %s = %s", name, t.name, g.pick("iota", "iota + 1", "1 << iota", "(iota + 2) * 7", "iota * 10"))
		}
	}
	g.print(")")
	if g.chance(60) {
		g.print("func (e %s) String() string {\n\tswitch e {\n\tcase %s:\n\t\treturn %q\n\tcase %s:\n\t\treturn \"second\"\n\t}\n\treturn fmt.Sprintf(\"%s(%%d)\", %s(e))\n}",
			t.name, t.names[0], "first of "+t.name, t.names[1], t.name, t.base)
		t.methods = append(t.methods, method{"String", g.stringType, false})
	}
	if g.chance(50) {
		g.print("func (e *%s) Advance() %[1]s { *e++; return *e }", t.name)
		t.methods = append(t.methods, method{"Advance", t, true})
	}
	if g.chance(30) {
		g.print("func (e %s) MarshalText() ([]byte, error) { return fmt.Appendf(nil, \"e%%d\", int(e)), nil }", t.name)
		g.print("func (e *%s) UnmarshalText(b []byte) error {\n\tn, err := strconv.Atoi(strings.TrimPrefix(string(b), \"e\"))\n\t*e = %[1]s(n)\n\treturn err\n}", t.name)
	}
	g.all = append(g.all, t)
}

// renamed declares a type that is made of a basic one.
func (g *gen) renamed() {
	base := basic(g.pick("string", "int32", "uint8", "float64", "bool", "int64"))
	t := *base
	t.name = g.fresh("Name")
	g.print("type %s %s", t.name, base.name)
	if g.chance(50) {
		g.print("func (v %s) Double() []%[1]s { return []%[1]s{v, v} }", t.name)
		t.methods = append(t.methods, method{"Double", g.listOf(&t), false})
	}
	if g.chance(30) {
		g.print("func (v %s) MarshalJSON() ([]byte, error) { return json.Marshal([]%s{%[2]s(v)}) }", t.name, base.name)
		g.print("func (v *%s) UnmarshalJSON(b []byte) error {\n\tvar l []%s\n\tif err := json.Unmarshal(b, &l); err != nil {\n\t\treturn err\n\t}\n\t*v = %[1]s(l[0])\n\treturn nil\n}", t.name, base.name)
	}
	g.all = append(g.all, &t)
}

func (g *gen) listOf(elem *typ) *typ { return &typ{kind: list, name: "[]" + elem.name, elem: elem} }

// composite adds a list, an array or a table, which may have a name.
func (g *gen) composite() {
	elem := g.any(func(t *typ) bool { return t.kind != failure })
	var t *typ
	switch g.n(4) {
	case 0:
		t = &typ{kind: array, elem: elem, size: 2 + g.n(3)}
		t.name = fmt.Sprintf("[%d]%s", t.size, elem.name)
	case 1:
		key := g.any(func(t *typ) bool { return t.kind == text || t.kind == integer })
		t = &typ{kind: table, elem: elem, key: key, name: fmt.Sprintf("map[%s]%s", key.name, elem.name)}
	default:
		t = g.listOf(elem)
	}
	if g.chance(40) {
		name := g.fresh("Comp")
		g.print("type %s %s", name, t.name)
		t.name = name
		g.print("func (c %s) Size() int { return len(c) }", name)
		t.methods = append(t.methods, method{"Size", g.intType, false})
		if t.kind == list {
			g.print("func (c *%s) Push(v %s) { *c = append(*c, v) }", name, elem.name)
		}
		if g.chance(30) {
			g.print("func (c %s) String() string { return fmt.Sprintf(\"%s of %%d\", len(c)) }", name, name)
			t.methods = append(t.methods, method{"String", g.stringType, false})
		}
	}
	g.all = append(g.all, t)
}

// structure declares a struct type with methods.
func (g *gen) structure() {
	t := &typ{kind: record, name: g.fresh("Rec")}
	var b strings.Builder
	for i := range 1 + g.n(4) {
		f := field{name: fmt.Sprintf("F%d", i), typ: g.any(func(t *typ) bool { return t.kind != failure })}
		tag := ""
		switch {
		case f.typ.kind == record && g.chance(40) && !slices.ContainsFunc(t.fields, func(f field) bool { return f.embedded }):
			f.name, f.embedded = f.typ.name, true
		case g.chance(25):
			f.name = strings.ToLower(f.name)
		case g.chance(40):
			tag = fmt.Sprintf(" `json:\"%s%s\"`", g.pick("a", "b", "long_name")+fmt.Sprint(i), g.pick("", "", ",omitempty"))
		}
		if f.embedded {
			fmt.Fprintf(&b, "\t%s\n", f.name)
		} else {
			fmt.Fprintf(&b, "\t%s %s%s\n", f.name, f.typ.name, tag)
		}
		t.fields = append(t.fields, f)
	}
	g.print("type %s struct {\n%s}", t.name, b.String())
	label := g.fresh("Label")
	g.print("func (r %s) %s() string { return fmt.Sprint(%q, r.%s) }", t.name, label, label, t.fields[0].name)
	t.methods = append(t.methods, method{label, g.stringType, false})
	for _, f := range t.fields {
		if f.typ.kind == integer && !f.embedded {
			m := g.fresh("Bump")
			g.print("func (r *%s) %s() %s { r.%s++; return r.%[4]s }", t.name, m, f.typ.name, f.name)
			t.methods = append(t.methods, method{m, f.typ, true})
			break
		}
	}
	if g.chance(25) {
		g.print("func (r %s) String() string { return fmt.Sprintf(\"<%%v>\", r.%s) }", t.name, t.fields[len(t.fields)-1].name)
		t.methods = append(t.methods, method{"String", g.stringType, false})
	}
	g.all = append(g.all, t)
}

// contract declares an interface, and methods that implement it for some types.
func (g *gen) contract() {
	t := &typ{kind: contract, name: g.fresh("Face")}
	name := g.fresh("Do")
	result := g.any(func(t *typ) bool { return t.kind == integer || t.kind == text })
	g.print("type %s interface { %s(n %s) %[3]s }", t.name, name, result.name)
	t.methods = append(t.methods, method{name, result, false})
	for _, m := range g.all {
		if m.kind == record || len(m.names) > 0 {
			g.print("func (x %s) %s(n %s) %[3]s { return n + %[4]s }", m.name, name, result.name, g.constant(result))
			t.members = append(t.members, m)
		}
	}
	g.all = append(g.all, t)
}

// failures declares types of errors.
func (g *gen) failures() {
	g.print("type ValueErr struct { Code int }\nfunc (e ValueErr) Error() string { return fmt.Sprintf(\"value %%d\", e.Code) }")
	g.print("type PointerErr struct { Op string; Err error }\nfunc (e *PointerErr) Error() string { return e.Op + \": \" + e.Err.Error() }\nfunc (e *PointerErr) Unwrap() error { return e.Err }")
	g.print("type CodeErr uint8\nfunc (e CodeErr) Error() string { return fmt.Sprint(\"code \", uint8(e)) }\nfunc (e CodeErr) Is(err error) bool { return err == errSecond }")
	g.print("var (\n\terrFirst = errors.New(\"first\")\n\terrSecond = fmt.Errorf(\"second: %%w\", errFirst)\n)")
	g.failType = &typ{kind: failure, name: "error"}
	g.all = append(g.all, g.failType)
}
