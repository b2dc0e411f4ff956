package hookpoint

import (
	"errors"
	"reflect"
	"strings"

	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/sdk"
)

var table = []Point{
	Row[sdk.SessionStartContext, sdk.Result]{Name: SessionStart, Since: "0.1.1", ReadOnly: true}.Point(),
	Row[sdk.UserMessageContext, sdk.UserMessageResult]{
		Name: UserMessage, Since: "0.1.1",
		Check: func(_ sdk.UserMessageContext, r sdk.UserMessageResult) error {
			if r.Content != nil && strings.TrimSpace(*r.Content) == "" {
				return errors.New("its replacement of the prompt is blank")
			}
			return nil
		},
		Next: func(in *sdk.UserMessageContext, r *sdk.UserMessageResult) bool {
			return replace(&in.Content, r.Content)
		},
		Fold: func(out *Outcome, _ string, r sdk.UserMessageResult) { out.Prompt = last(out.Prompt, r.Content) },
	}.Point(),
	Row[sdk.BeforeChatContext, sdk.Result]{Name: BeforeChat, InModelCall: true, Fold: foldRequest}.Point(),
	Row[sdk.StreamChunkContext, sdk.Result]{Name: StreamChunk, Since: "0.1.1", ReadOnly: true, Merge: mergeChunks}.Point(),
	Row[sdk.AfterResponseContext, sdk.Result]{
		Name: AfterResponse,
		Next: func(in *sdk.AfterResponseContext, r *sdk.Result) bool {
			return r.Response != nil && (replace(&in.Response, r.Response.Content) || r.Response.Skip)
		},
		Fold: func(out *Outcome, _ string, r sdk.Result) {
			if m := r.Response; m != nil {
				out.Response.Skip = out.Response.Skip || m.Skip
				out.Response.Content = last(out.Response.Content, m.Content)
			}
		},
	}.Point(),
	Row[sdk.BeforeToolContext, sdk.BeforeToolResult]{
		Name: BeforeToolExecution,
		Copy: func(in sdk.BeforeToolContext) sdk.BeforeToolContext {
			in.Arguments = copyMap(in.Arguments)
			return in
		},
		Next: nextArguments, Fold: foldGuard,
		Block: func(reason string) sdk.BeforeToolResult {
			return sdk.BeforeToolResult{Block: true, Result: sdk.Result{Message: reason}}
		},
		Prevents: "no tool may run",
	}.Point(),
	Row[sdk.AfterToolContext, sdk.Result]{
		Name:         AfterToolExecution,
		Next:         func(in *sdk.AfterToolContext, r *sdk.Result) bool { return replace(&in.ToolResult, r.Output) },
		Fold:         func(out *Outcome, _ string, r sdk.Result) { out.Output = last(out.Output, r.Output) },
		NewestResult: func(in *sdk.AfterToolContext) *string { return &in.ToolResult },
	}.Point(),
	Row[sdk.OnErrorContext, sdk.Result]{
		Name: OnError,
		Fold: func(out *Outcome, _ string, r sdk.Result) {
			if m := r.Error; m != nil {
				out.Error.Retry = out.Error.Retry || m.Retry
				out.Error.Skip = out.Error.Skip || m.Skip
			}
		},
	}.Point(),
	Row[sdk.BeforeCompactionContext, sdk.Result]{
		Name: BeforeCompaction,
		Fold: func(out *Outcome, _ string, r sdk.Result) {
			out.Compaction.Skip = out.Compaction.Skip || (r.Compaction != nil && r.Compaction.Skip)
		},
	}.Point(),
	Row[sdk.AfterCompactionContext, sdk.Result]{Name: AfterCompaction, ReadOnly: true}.Point(),
	Row[sdk.OnAgentSwitchContext, sdk.Result]{Name: OnAgentSwitch, ReadOnly: true}.Point(),
	Row[sdk.TransformContext, []sdk.Message]{
		Name: TransformMessages, Order: ByDirectory, InModelCall: true, AllOrNothing: true,
		Copy: func(in sdk.TransformContext) sdk.TransformContext {
			in.Messages = copyMessages(in.Messages)
			return in
		},
		Check: func(original sdk.TransformContext, m []sdk.Message) error { return CheckMessages(original.Messages, m) },
		Next: func(in *sdk.TransformContext, m *[]sdk.Message) bool {
			*m = copyMessages(*m)
			in.Messages = *m
			// Comparing all messages would cost every call more than the answer is worth.
			return false
		},
		Fold: func(out *Outcome, handler string, m []sdk.Message) {
			out.Messages, out.Steps = m, append(out.Steps, Step{Handler: handler, Messages: m})
		},
	}.Point(),
	Row[sdk.SessionEndContext, sdk.Result]{Name: SessionEnd, Since: "0.1.1", ReadOnly: true}.Point(),
}

// mergeChunks adds chunks to those that wait. Chunks beyond the limits are dropped and counted, except for the end of the answer.
func mergeChunks(waiting *sdk.StreamChunkContext, later sdk.StreamChunkContext) bool {
	size := 0
	for _, c := range waiting.Chunks {
		size += len(c.Text) + len(c.Thinking)
	}
	complete := true
	for _, c := range later.Chunks {
		size += len(c.Text) + len(c.Thinking)
		if !c.Finished && (len(waiting.Chunks) >= limit.WaitingChunks || size > limit.WaitingChunkBytes) {
			waiting.Dropped++
			complete = false
			continue
		}
		waiting.Chunks = append(waiting.Chunks, c)
	}
	return complete
}

func foldRequest(out *Outcome, handler string, r sdk.Result) {
	m := r.Request
	if m == nil {
		return
	}
	if m.Skip {
		out.Request.Skip, out.SkippedBy = true, append(out.SkippedBy, handler)
	}
	if m.AppendSystem == nil || *m.AppendSystem == "" {
		return
	}
	text := *m.AppendSystem
	if out.Request.AppendSystem != nil {
		text = *out.Request.AppendSystem + "\n\n" + text
	}
	out.Request.AppendSystem = &text
}

func nextArguments(in *sdk.BeforeToolContext, r *sdk.BeforeToolResult) bool {
	if r.Arguments == nil {
		return false
	}
	r.Arguments = copyMap(r.Arguments)
	changed := !reflect.DeepEqual(in.Arguments, r.Arguments)
	in.Arguments = r.Arguments
	return changed
}

func foldGuard(out *Outcome, handler string, r sdk.BeforeToolResult) {
	if r.Arguments != nil {
		out.Arguments, out.ChangedBy = r.Arguments, handler
	}
	if r.Block {
		out.BlockBy(handler)
	}
}

// replace replaces a text with another one, unless that is nil, and reports whether the two differ.
func replace(text, by *string) bool {
	if by == nil || *by == *text {
		return false
	}
	*text = *by
	return true
}

func last(before, after *string) *string {
	if after != nil {
		return after
	}
	return before
}
