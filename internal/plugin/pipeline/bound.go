package pipeline

import (
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/sdk"
)

// bound cuts the texts of a verdict to their limits. It does not modify values that the handler may still hold.
func bound(v Verdict) {
	v.Notice = limit.Cut(v.Notice, limit.Notice, "a notice")
	v.Message = limit.Cut(v.Message, limit.Injection, "a plugin's message")
	v.Prefix = limit.Cut(v.Prefix, limit.Notice, "a prefix")
	v.Output = cut(v.Output, limit.Result, "a tool result")
	if m := v.Request; m != nil {
		v.Request = &sdk.RequestModification{}
		*v.Request = *m
		v.Request.AppendSystem = cut(m.AppendSystem, limit.Injection, "an addition to the system prompt")
	}
	if m := v.Response; m != nil {
		v.Response = &sdk.ResponseModification{}
		*v.Response = *m
		v.Response.Content = cut(m.Content, limit.Answer, "an answer")
	}
}

func cut(text *string, size int, what string) *string {
	if text == nil || len(*text) <= size {
		return text
	}
	short := limit.Cut(*text, size, what)
	return &short
}
