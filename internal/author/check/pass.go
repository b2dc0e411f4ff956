package check

import (
	"go/ast"

	"github.com/idelchi/aura/internal/golang/loader"
)

// weight is when a construct does harm.
type weight int

const (
	// atLoad keeps the plugin from loading.
	atLoad weight = iota
	// atRun fails each time the line runs. In a vendored package it is unknown whether the line ever runs.
	atRun
	// maybe fails with some values.
	maybe
)

// pass checks one package whose types are known.
type pass struct {
	*checker

	pkg *loader.Package
}

// rule is called for every node.
type rule = func(*pass, ast.Node)

// contractRules are about what a plugin gives aura, and about what it cannot expect.
var contractRules = []rule{toolSchemas, commandSchemas, disabledTools, runtimeFigures}

func (p *pass) run() {
	for _, f := range p.pkg.Files {
		ast.Inspect(f.Tree, func(n ast.Node) bool {
			if n == nil {
				return true
			}
			for _, rule := range contractRules {
				rule(p, n)
			}
			return true
		})
	}
}

// report adds a finding about a construct.
func (p *pass) report(n ast.Node, w weight, rule, message, fix string) {
	at := p.source.Position(n.Pos())
	f := Finding{File: at.Filename, Line: at.Line, Column: at.Column, Severity: Error, Rule: rule, Message: message, Fix: fix}
	if w == maybe || w == atRun && !p.pkg.Own {
		f.Severity = Warning
	}
	p.addIn(p.pkg, f)
}
