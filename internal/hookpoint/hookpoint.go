// Package hookpoint is the one table of the moments at which plugins are called. The interpreter binds by it, the wire
// encodes by it and the pipeline folds by it: a new hook point is a new row here and nothing elsewhere.
package hookpoint

import (
	"context"
	"reflect"

	"github.com/idelchi/aura/sdk"
)

// Name is the name of the function a plugin exports for a hook point.
type Name string

// The hook points.
const (
	BeforeChat          Name = "BeforeChat"
	AfterResponse       Name = "AfterResponse"
	BeforeToolExecution Name = "BeforeToolExecution"
	AfterToolExecution  Name = "AfterToolExecution"
	OnError             Name = "OnError"
	BeforeCompaction    Name = "BeforeCompaction"
	AfterCompaction     Name = "AfterCompaction"
	OnAgentSwitch       Name = "OnAgentSwitch"
	TransformMessages   Name = "TransformMessages"
)

// Point is one row of the table.
type Point struct {
	Name Name
	// Timing is the name used in listings and events, such as "before_chat".
	Timing string
	// Context and Result are the SDK types that the function takes and returns.
	Context reflect.Type
	Result  reflect.Type
	// Signature is the type of the function a plugin must export.
	Signature reflect.Type
	// Chained points hand each plugin the output of the one before; the others see the same input side by side.
	Chained bool
	// ReadOnly points observe: only a Notice of their result is used.
	ReadOnly bool
}

var table = []Point{
	row[sdk.BeforeChatContext, sdk.Result](BeforeChat, "before_chat", false, false),
	row[sdk.AfterResponseContext, sdk.Result](AfterResponse, "after_response", true, false),
	row[sdk.BeforeToolContext, sdk.BeforeToolResult](BeforeToolExecution, "before_tool_execution", true, false),
	row[sdk.AfterToolContext, sdk.Result](AfterToolExecution, "after_tool_execution", true, false),
	row[sdk.OnErrorContext, sdk.Result](OnError, "on_error", false, false),
	row[sdk.BeforeCompactionContext, sdk.Result](BeforeCompaction, "before_compaction", false, false),
	row[sdk.AfterCompactionContext, sdk.Result](AfterCompaction, "after_compaction", false, true),
	row[sdk.OnAgentSwitchContext, sdk.Result](OnAgentSwitch, "on_agent_switch", false, true),
	row[sdk.TransformContext, []sdk.Message](TransformMessages, "transform_messages", true, false),
}

func row[C, R any](name Name, timing string, chained, readOnly bool) Point {
	return Point{
		Name:      name,
		Timing:    timing,
		Context:   reflect.TypeFor[C](),
		Result:    reflect.TypeFor[R](),
		Signature: reflect.TypeFor[func(context.Context, C) (R, error)](),
		Chained:   chained,
		ReadOnly:  readOnly,
	}
}

// All returns the hook points in the order of a conversation's documentation. The slice is the caller's.
func All() []Point {
	return append([]Point(nil), table...)
}

// Lookup returns the row of a name.
func Lookup(name Name) (Point, bool) {
	for _, p := range table {
		if p.Name == name {
			return p, true
		}
	}
	return Point{}, false
}
