// Package hookpoint is the one table of the moments at which plugins are called. A row says everything that is special about a
// point. The interpreter binds, the wire encodes, the supervisor fails closed and the pipeline chains and folds by the row; none
// of them asks for the name of a point.
package hookpoint

import (
	"reflect"
	"slices"
)

// Name is the name of the function that a plugin exports for a hook point. Hooks are listed under it, in the order of the table.
type Name string

// The hook points.
const (
	SessionStart        Name = "SessionStart"
	UserMessage         Name = "UserMessage"
	BeforeChat          Name = "BeforeChat"
	AfterResponse       Name = "AfterResponse"
	BeforeToolExecution Name = "BeforeToolExecution"
	AfterToolExecution  Name = "AfterToolExecution"
	OnError             Name = "OnError"
	BeforeCompaction    Name = "BeforeCompaction"
	AfterCompaction     Name = "AfterCompaction"
	OnAgentSwitch       Name = "OnAgentSwitch"
	TransformMessages   Name = "TransformMessages"
	SessionEnd          Name = "SessionEnd"
)

// Order is the order in which the handlers of a point are called and folded.
type Order int

// The orders.
const (
	// ByName is the order of the plugins' names.
	ByName Order = iota
	// ByDirectory is the order of the plugins' directories, which users can rename.
	ByDirectory
)

// Point is a row of the table as the rest of aura uses it, where the types of a point's context and result are not known. Row
// describes the fields.
type Point struct {
	Name  Name
	Since string
	// Context and Result are the SDK types that the function takes and returns, Signature is the function's own type.
	Context   reflect.Type
	Result    reflect.Type
	Signature reflect.Type

	Order        Order
	Chained      bool
	AllOrNothing bool
	ReadOnly     bool
	InModelCall  bool
	// Prevents is empty at points that cannot block.
	Prevents string

	read   func(handler string, result any) (Verdict, bool)
	copy   func(in any) any
	accept func(original any, v Verdict) error
	next   func(in any, v Verdict) (any, Verdict)
	fold   func(out *Outcome, v Verdict)
	block  func(reason string) any
	newest func(in any) *string
}

// All returns the hook points in the order in which they are listed. The slice is the caller's.
func All() []Point { return slices.Clone(table) }

// Lookup returns the row of a name.
func Lookup(name Name) (Point, bool) {
	for _, p := range table {
		if p.Name == name {
			return p, true
		}
	}
	return Point{}, false
}

// Of returns the row of a name, and for an unknown name a row about which nothing is special.
func Of(name Name) Point {
	p, _ := Lookup(name)
	return p
}
