// Package hookpoint is the only table of the points at which plugins are called. A row contains everything that is specific to
// a point. The interpreter binds, the wire encodes, the supervisor fails closed and the pipeline chains and folds according to
// the row; none of them checks the name of a point.
package hookpoint

import (
	"reflect"
	"slices"
)

// Name is the name of the function that a plugin exports for a hook point. Hooks are listed by that name, in the order of the
// table.
type Name string

// The hook points.
const (
	SessionStart        Name = "SessionStart"
	UserMessage         Name = "UserMessage"
	BeforeChat          Name = "BeforeChat"
	StreamChunk         Name = "StreamChunk"
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

// Point is a row of the table without the types of its context and its result, for use by the rest of aura. Row describes the
// fields.
type Point struct {
	Name  Name
	Since string
	// Context and Result are the SDK types that the function takes and returns. Signature is the type of the function.
	Context   reflect.Type
	Result    reflect.Type
	Signature reflect.Type

	Order        Order
	Chained      bool
	AllOrNothing bool
	UntilBlocked bool
	ReadOnly     bool
	InModelCall  bool
	// Streamed reports that the point observes a fast stream; see Row.Merge.
	Streamed bool
	// Prevents is empty at points that cannot block.
	Prevents string

	read   func(handler string, result any) (Verdict, bool)
	copy   func(in any) any
	accept func(original any, v Verdict) error
	next   func(in any, v Verdict) (any, Verdict)
	fold   func(out *Outcome, v Verdict)
	merge  func(waiting, later any) (any, bool)
	block  func(reason string) any
	newest func(in any) *string
}

// All returns the hook points in the order in which they are listed. The caller owns the slice.
func All() []Point { return slices.Clone(table) }

// Names returns the names of the hook points in the order in which they are listed.
func Names() []string {
	var out []string
	for _, p := range table {
		out = append(out, string(p.Name))
	}
	return out
}

// Lookup returns the row with the given name, of a point that plugins have functions for.
func Lookup(name Name) (Point, bool) { return in(table, name) }

// Find returns the row with the given name, of a point of plugins or a moment of shell hooks.
func Find(name Name) (Point, bool) {
	if p, ok := in(table, name); ok {
		return p, true
	}
	return in(moments, name)
}

func in(rows []Point, name Name) (Point, bool) {
	for _, p := range rows {
		if p.Name == name {
			return p, true
		}
	}
	return Point{}, false
}

// Of returns the row with the given name, or a row without any special behaviour if the name is unknown.
func Of(name Name) Point {
	p, _ := Lookup(name)
	return p
}
