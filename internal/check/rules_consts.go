package check

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// constantGroups finds constants that the interpreter rejects as a definition loop, or computes wrongly.
func constantGroups(p *pass, n ast.Node) {
	group, ok := n.(*ast.GenDecl)
	if !ok || group.Tok != token.CONST {
		return
	}
	several := false
	for _, s := range group.Specs {
		spec, ok := s.(*ast.ValueSpec)
		if !ok {
			continue
		}
		switch {
		case len(spec.Names) > 1 && len(spec.Values) == 0:
			p.report(spec, atLoad, "const-repeated", "the interpreter cannot repeat the values of several constants in one line", "write the values out, or declare each constant in a line of its own")
		case (several || len(spec.Names) > 1) && p.mentionsIota(spec):
			p.report(spec, atRun, "const-iota", "iota is counted for each name in the interpreter, while Go counts lines", "declare each constant in a line of its own")
		case p.compares(spec):
			p.report(spec, atRun, "const-comparison", "a comparison as a constant is false in the interpreter", "declare a variable, or write true or false")
		case p.shiftsFloat(spec):
			p.report(spec, atLoad, "const-shift", "the interpreter cannot shift by a computed number for a constant that is a float", "convert what is shifted: T(int64(1) << (10 * iota))")
		}
		several = several || len(spec.Names) > 1
	}
}

func (p *pass) mentionsIota(spec *ast.ValueSpec) bool {
	found := false
	for _, x := range spec.Values {
		ast.Inspect(x, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && p.info.Uses[id] == types.Universe.Lookup("iota")
			return !found
		})
	}
	return found
}

// compares reports whether a constant is true and is the result of a comparison.
func (p *pass) compares(spec *ast.ValueSpec) bool {
	found := false
	for i, x := range spec.Values {
		value := p.info.Types[x].Value
		if value == nil || value.Kind() != constant.Bool || !constant.BoolVal(value) || i >= len(spec.Names) {
			continue
		}
		ast.Inspect(x, func(n ast.Node) bool {
			b, ok := n.(*ast.BinaryExpr)
			found = found || ok && b.Op != token.LAND && b.Op != token.LOR
			return !found
		})
	}
	return found
}

// shiftsFloat reports whether a constant is a float whose value is shifted by an expression with iota.
func (p *pass) shiftsFloat(spec *ast.ValueSpec) bool {
	if spec.Type == nil || !p.mentionsIota(spec) {
		return false
	}
	basic, ok := p.typeOf(spec.Type).Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsFloat == 0 {
		return false
	}
	found := false
	for _, x := range spec.Values {
		shift, ok := ast.Unparen(x).(*ast.BinaryExpr)
		if !ok || shift.Op != token.SHL {
			continue
		}
		_, computed := ast.Unparen(shift.Y).(*ast.BinaryExpr)
		found = found || computed
	}
	return found
}
