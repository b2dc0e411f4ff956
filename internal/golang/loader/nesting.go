package loader

import (
	"fmt"
	"go/scanner"
	"go/token"
)

// The limits of how deep source is nested. Reading, checking and interpreting it take stack for each level, and a process whose stack is
// used up ends.
const (
	// MaxNesting is the maximum number of brackets, braces and parentheses that are open at the same time.
	MaxNesting = 500
	// MaxChain is the maximum number of tokens that follow each other without a comma or the end of a statement, including those before
	// the brackets that are open. Each may be a level: - - - x, or x.a.b.c.
	MaxChain = 10_000
)

// nesting returns the error of a file that is nested too deep. It reads tokens only, which takes no stack.
func nesting(path string, text []byte) *Error {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile(path, -1, len(text))
	s.Init(file, text, nil, 0) // the parser reports what is no token
	// before holds the length of the chain at each open bracket.
	var before []int
	chain := 0
	for {
		pos, tok, _ := s.Scan()
		switch tok {
		case token.EOF:
			return nil
		case token.LPAREN, token.LBRACE, token.LBRACK:
			chain++
			before = append(before, chain)
		case token.RPAREN, token.RBRACE, token.RBRACK:
			if n := len(before); n > 0 {
				chain, before = before[n-1], before[:n-1]
			}
		case token.COMMA, token.SEMICOLON:
			chain = 0
			if n := len(before); n > 0 {
				chain = before[n-1]
			}
		default:
			chain++
		}
		if len(before) > MaxNesting || chain > MaxChain {
			return &Error{
				File: path, Line: file.Position(pos).Line, Column: file.Position(pos).Column, Rule: RuleSyntax,
				Message: fmt.Sprintf("the source is nested too deep: the limit is %d brackets, and %d tokens without a comma or the end of a statement", MaxNesting, MaxChain),
				Fix:     "divide the expression or the function",
			}
		}
	}
}
