package llmtest

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// NewGoogle starts a server for Google's protocol. Arguments of tool calls must be JSON objects, because the protocol allows no
// others.
func NewGoogle(tb testing.TB, replies ...Reply) *Server {
	tb.Helper()
	return start(tb, google{}, "", replies)
}

type google struct{}

func (google) path(path string) bool {
	return strings.HasPrefix(path, "/v1beta/models/") && strings.HasSuffix(path, ":streamGenerateContent")
}

func (google) token(h http.Header) string { return h.Get("X-Goog-Api-Key") }

func (google) refusal(message string) string {
	return encode(object{"error": object{"code": http.StatusBadRequest, "message": message, "status": "INVALID_ARGUMENT"}})
}

func (google) failure(body string) string { return "data: " + body + "\r\n\r\n" }

func (googleRequest) events(_ int, reply Reply) (said, end []string) {
	usage := reply.usage()
	counted := object{"promptTokenCount": usage.Input, "candidatesTokenCount": usage.Output, "totalTokenCount": usage.Input + usage.Output, "cachedContentTokenCount": usage.CacheRead}
	event := func(candidate object) string {
		return "data: " + encode(object{"candidates": []object{candidate}, "usageMetadata": counted}) + "\r\n\r\n"
	}
	say := func(part object) {
		said = append(said, event(object{"index": 0, "content": object{"role": "model", "parts": []object{part}}}))
	}
	for _, piece := range pieces(reply.Thinking) {
		say(object{"text": piece, "thought": true})
	}
	for _, piece := range pieces(reply.Text) {
		say(object{"text": piece})
	}
	for i, call := range reply.ToolCalls {
		part := object{"functionCall": object{"id": call.ID, "name": call.Name, "args": json.RawMessage(call.Arguments)}}
		if i == 0 {
			part["thoughtSignature"] = base64.StdEncoding.EncodeToString([]byte(Signature(call.Name)))
		}
		say(part)
	}
	last := object{"index": 0, "content": object{"role": "model", "parts": []object{{"text": ""}}}, "finishReason": cmp.Or(reply.Stop, "STOP")}
	if usage.Searches > 0 {
		chunks := []object{}
		for _, f := range reply.Found {
			chunks = append(chunks, object{"web": object{"uri": f.URL, "title": f.Title}})
		}
		last["groundingMetadata"] = object{
			"webSearchQueries": slices.Repeat([]string{"words"}, usage.Searches), "groundingChunks": chunks, "searchEntryPoint": object{"renderedContent": "<div>"},
		}
	}
	return said, []string{event(last)}
}

// searches returns a negative number for a search: the protocol cannot limit searches.
func (r googleRequest) searches() int {
	for _, t := range r.Tools {
		if t.GoogleSearch != nil {
			return -1
		}
	}
	return 0
}

func (r googleRequest) tools() []tool {
	var out []tool
	for _, list := range r.Tools {
		for _, f := range list.FunctionDeclarations {
			out = append(out, tool{f.Name, f.ParametersJSONSchema})
		}
	}
	return out
}

func (r googleRequest) lines() []string {
	var out []string
	for _, part := range r.SystemInstruction.Parts {
		out = append(out, "system: "+textOf(part.Text))
	}
	for _, content := range r.Contents {
		for _, part := range content.Parts {
			switch {
			case part.FunctionCall != nil:
				out = append(out, fmt.Sprintf("call %s: %s %s", part.FunctionCall.ID, part.FunctionCall.Name, part.FunctionCall.Args))
			case part.FunctionResponse != nil:
				out = append(out, fmt.Sprintf("result %s: %s", part.FunctionResponse.ID, part.FunctionResponse.Response))
			case part.InlineData != nil:
				out = append(out, mediaLine(googleType(part.InlineData.MIMEType), part.InlineData.Data))
			default:
				out = append(out, map[string]string{"user": "user: ", "model": "assistant: "}[content.Role]+textOf(part.Text))
			}
		}
	}
	return out
}
