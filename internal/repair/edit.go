package repair

import (
	"go/ast"
	"iter"
)

// Edit is text to put in the place of the bytes from an offset of a file on; of none, to insert it there.
type Edit struct {
	at, skip int
	insert   string
	// does is what the edit repairs, as far as somebody may ask.
	does []repaired
}

// Kind is a kind of repair that can be asked for.
type Kind int

// The kinds, each with the node that is repaired.
const (
	// Argument is an expression that is computed before the call which it is given to is deferred.
	Argument Kind = iota
	// Receiver is a defer statement whose receiver is copied.
	Receiver
	// Literal is a defer statement in a loop whose function literal is made anew in each iteration.
	Literal
	// Variable is the name of a loop's variable, where it is declared, that each iteration has its own copy of.
	Variable
	// Value is an expression that a loop puts into a list or a map, and that gets a variable of its own.
	Value
	// Switch is a switch over a value that becomes comparisons.
	Switch
	// Assertions is a type switch that becomes one over assertions.
	Assertions
	// Named is a type switch that gets a name for its value.
	Named
	// Shift is a shift whose number gets a type.
	Shift
	// Channels is a loop over a list of channels that gets its elements by their index.
	Channels
	// Offsets is a loop over the offsets of a string that gets a second variable.
	Offsets
	// Nils is an assignment of several values whose nils are assigned after the others.
	Nils
	// Printed is a call whose result is printed, and that gets parentheses.
	Printed
	// Conversion is one to an interface of compiled code that becomes a function.
	Conversion
	// Assertion is one of an interface of compiled code that finds values of the source.
	Assertion
	// Given is an any that is printed or encoded, whose methods are found.
	Given
	// Miss is an assignment of a value and whether there is one, that sets the variable to zero if there is none.
	Miss
)

// repaired is one construct.
type repaired struct {
	kind Kind
	node ast.Node
}

// Done holds the constructs that edits repair.
type Done map[repaired]bool

// Of adds what the edits of a file repair. Edits that do not stand repair nothing.
func (d Done) Of(edits []Edit) {
	for e := range standing(edits, 0) {
		for _, r := range e.does {
			d[r] = true
		}
	}
}

// Has reports whether a node is repaired in this way.
func (d Done) Has(kind Kind, node ast.Node) bool { return d[repaired{kind, node}] }

// Apply appends the text from an offset on to out, as the edits leave it. No line is added or removed.
func Apply(out, text []byte, from int, edits []Edit) []byte {
	for e := range standing(edits, from) {
		out = append(out, text[from:e.at]...)
		out = append(out, e.insert...)
		from = e.at + e.skip
	}
	return append(out, text[from:]...)
}

// standing are the edits, in order, but for those within what another takes the place of.
func standing(edits []Edit, from int) iter.Seq[Edit] {
	return func(yield func(Edit) bool) {
		for _, e := range edits {
			if e.at < from {
				continue
			}
			if !yield(e) {
				return
			}
			from = e.at + e.skip
		}
	}
}
