package loader

import (
	"fmt"
	"go/ast"
)

// The rules of the errors.
const (
	RuleModule            = "module"
	RulePackage           = "package"
	RuleSDK               = "sdk-version"
	RuleSource            = "source"
	RuleSyntax            = "syntax"
	RuleImportCgo         = "import-cgo"
	RuleImportRestricted  = "import-restricted"
	RuleImportPath        = "import-path"
	RuleImportCycle       = "import-cycle"
	RuleImportMissing     = "import-missing"
	RuleImportUnavailable = "import-unavailable"
	RuleType              = "type"
	RuleLibrary           = "library"
	RuleUnused            = "unused"
	RuleEmbed             = "embed"
	// RuleInterpreter finds what cannot be lowered, and RuleNative what is not compiled.
	RuleInterpreter = "interpreter"
	RuleNative      = "native"
)

// Error is the reason why a source does not load.
type Error struct {
	// File is absolute. Line and Column count from 1; they are 0 if there is no position.
	File         string
	Line, Column int
	Rule         string
	// Message says what is wrong, and Fix what to do about it. Fix is empty if the message already says so.
	Message, Fix string
	// Soft is set if the interpreter ignores the error, such as an unused variable.
	Soft bool
	// Err replaces the position and the message if it is not nil.
	Err error
}

// Error returns the position, the message and what to do. The errors of the compiler have a column, as it prints them.
func (p *Error) Error() string {
	if p.Err != nil {
		return p.Err.Error()
	}
	text := p.Message
	if p.Fix != "" {
		text += "; " + p.Fix
	}
	switch p.Rule {
	case RuleSyntax, RuleType, RuleLibrary, RuleUnused:
		return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, text)
	default:
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, text)
	}
}

// Unwrap returns Err.
func (p *Error) Unwrap() error { return p.Err }

// at returns an error at the start of a node.
func (s *Source) at(n ast.Node, rule, message, fix string) *Error {
	at := s.Position(n.Pos())
	return &Error{File: at.Filename, Line: at.Line, Column: at.Column, Rule: rule, Message: message, Fix: fix}
}

// fault returns an error with the words of another one.
func fault(file, rule string, err error) *Error { return &Error{File: file, Rule: rule, Err: err} }
