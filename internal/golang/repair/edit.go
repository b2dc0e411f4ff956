package repair

import (
	"go/ast"
	"iter"
)

// Edit replaces skip bytes at an offset of a file with text. If skip is 0, the text is inserted there.
type Edit struct {
	at, skip int
	insert   string
	// does lists what the edit repairs, for Done.
	does []repaired
}

// Kind is a kind of repair that Done can report.
type Kind int

// The kinds of repair. Each comment names the node that is repaired.
const (
	// Argument is an expression that is computed before the call that it is passed to is deferred.
	Argument Kind = iota
	// Receiver is a defer statement whose receiver is copied.
	Receiver
	// Literal is a defer statement in a loop whose function literal is recreated in each iteration.
	Literal
	// Variable is the name of a loop variable at its declaration. Each iteration gets its own copy of the variable.
	Variable
	// Value is an expression that a loop stores in a list or a map, and that gets a variable of its own.
	Value
	// Switch is a switch over a value that is rewritten as comparisons.
	Switch
	// Assertions is a type switch that is rewritten as a switch over assertions.
	Assertions
	// Named is a type switch that gets a name for its value.
	Named
	// Shift is a shift whose number gets a type.
	Shift
	// Channels is a loop over a list of channels that gets its elements by index.
	Channels
	// Offsets is a loop over the offsets of a string that gets a second variable.
	Offsets
	// Nils is an assignment of several values whose nils are assigned after the other values.
	Nils
	// Printed is a call whose result is printed, and that gets parentheses.
	Printed
	// Conversion is a conversion to an interface of compiled code that is rewritten as a function.
	Conversion
	// Assertion is an assertion of an interface of compiled code that then finds values of the source.
	Assertion
	// Given is an any that is printed or encoded, and whose methods are then found.
	Given
	// Miss is an assignment such as v, ok := m[k] that sets v to zero if there is no value.
	Miss
)

// repaired is one repaired construct.
type repaired struct {
	kind Kind
	node ast.Node
}

// Done holds the constructs that edits repair.
type Done map[repaired]bool

// Of adds the constructs that the edits of a file repair. Edits that are not applied repair nothing.
func (d Done) Of(edits []Edit) {
	for e := range standing(edits, 0) {
		for _, r := range e.does {
			d[r] = true
		}
	}
}

// Has reports whether a node is repaired in this way.
func (d Done) Has(kind Kind, node ast.Node) bool { return d[repaired{kind, node}] }

// Apply appends the text from an offset on to out, with the edits applied. Edits add and remove no lines.
func Apply(out, text []byte, from int, edits []Edit) []byte {
	for e := range standing(edits, from) {
		out = append(out, text[from:e.at]...)
		out = append(out, e.insert...)
		from = e.at + e.skip
	}
	return append(out, text[from:]...)
}

// standing returns the edits in order, without those inside the text that another edit replaces.
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
