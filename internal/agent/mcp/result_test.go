package mcp

import (
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/base/limit"
)

func TestText(t *testing.T) {
	t.Parallel()
	word := func(s string) sdk.Content { return &sdk.TextContent{Text: s} }
	for name, row := range map[string]struct {
		result     *sdk.CallToolResult
		want, fail string
	}{
		"texts are joined": {result: &sdk.CallToolResult{Content: []sdk.Content{word("a"), word("b")}}, want: "a\nb"},
		"structure without text": {
			result: &sdk.CallToolResult{StructuredContent: map[string]any{"n": 1}}, want: `{"n":1}`,
		},
		"text goes before structure": {
			result: &sdk.CallToolResult{Content: []sdk.Content{word("a")}, StructuredContent: map[string]any{"n": 1}}, want: "a",
		},
		"image": {
			result: &sdk.CallToolResult{Content: []sdk.Content{&sdk.ImageContent{MIMEType: "image/png", Data: []byte("abc")}}},
			want:   "[image, image/png, 3 bytes: not shown]",
		},
		"audio": {
			result: &sdk.CallToolResult{Content: []sdk.Content{&sdk.AudioContent{Data: []byte("ab")}}},
			want:   "[audio, of unknown type, 2 bytes: not shown]",
		},
		"link": {
			result: &sdk.CallToolResult{Content: []sdk.Content{&sdk.ResourceLink{URI: "file:///a", MIMEType: "text/plain"}}},
			want:   "[resource file:///a, text/plain]",
		},
		"resource of text": {
			result: &sdk.CallToolResult{Content: []sdk.Content{
				&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "x:a", MIMEType: "text/plain", Text: "inside"}},
			}},
			want: "[resource x:a, text/plain]\ninside",
		},
		"resource of bytes": {
			result: &sdk.CallToolResult{Content: []sdk.Content{
				&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "x:a", Blob: []byte("abcd")}},
			}},
			want: "[resource x:a, of unknown type, 4 bytes: not shown]",
		},
		"text as bytes": {
			result: &sdk.CallToolResult{Content: []sdk.Content{
				&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "x:a", MIMEType: "text/plain; charset=utf-8", Blob: []byte("inside")}},
			}},
			want: "[resource x:a, text/plain; charset=utf-8]\ninside",
		},
		"bytes as text": {
			result: &sdk.CallToolResult{Content: []sdk.Content{
				&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "x:a", MIMEType: "text/plain", Blob: []byte("in\x00")}},
				&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "x:b", MIMEType: "text/plain", Blob: []byte("\xff")}},
			}},
			want: "[resource x:a, text/plain, 3 bytes: not shown]\n[resource x:b, text/plain, 1 bytes: not shown]",
		},
		"empty resource":  {result: &sdk.CallToolResult{Content: []sdk.Content{&sdk.EmbeddedResource{}}}},
		"nothing":         {result: &sdk.CallToolResult{}},
		"no result":       {fail: "the server sent an empty result"},
		"error":           {result: &sdk.CallToolResult{Content: []sdk.Content{word("why")}, IsError: true}, fail: "why"},
		"error, no words": {result: &sdk.CallToolResult{IsError: true}, fail: "the tool failed and did not say why"},
		"broken letters":  {result: &sdk.CallToolResult{Content: []sdk.Content{word("a\xffb")}}, want: "a\uFFFDb"},
		"too long": {
			result: &sdk.CallToolResult{Content: []sdk.Content{word("a" + strings.Repeat("é", limit.MCPResult/2))}},
			want:   "a" + strings.Repeat("é", limit.MCPResult/2-1) + "\n[cut: 2 of 1048577 bytes left out]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := text(row.result, nil)
			if got != row.want {
				t.Errorf("got %q, want %q", cut(got, 100), cut(row.want, 100))
			}
			if (err == nil) != (row.fail == "") || err != nil && err.Error() != row.fail {
				t.Errorf("error %v, want %q", err, row.fail)
			}
		})
	}
}
