// Package crash_demo shows what a crash costs: a panic in a goroutine ends a Go program, here the one process that this
// plugin has to itself. The conversation goes on and the plugin is started again.
package crash_demo

import (
	"context"

	"github.com/idelchi/aura/sdk"
)

// AfterToolExecution crashes after the first tool call of the conversation. The count comes from aura: whatever the plugin
// itself remembered would be gone after the crash, and it would crash at every call.
func AfterToolExecution(ctx context.Context, hctx sdk.AfterToolContext) (sdk.Result, error) {
	if hctx.Stats.ToolCalls != 1 {
		return sdk.Result{}, nil
	}
	go func() {
		panic("crash-demo crashes on purpose")
	}()
	<-ctx.Done() // the process ends before this does
	return sdk.Result{}, ctx.Err()
}
