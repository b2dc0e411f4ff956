package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/base/limit"
)

// errSaidNothing is the error of a tool that fails without a message.
var errSaidNothing = errors.New("the tool failed and did not say why")

// text returns the result as text for the model. If the result is an error, text returns a Go error with that text.
func text(r *sdk.CallToolResult) (string, error) {
	if r == nil {
		return "", errors.New("the server sent an empty result")
	}
	var blocks []string
	spoken := false
	for _, c := range r.Content {
		block, words := describe(c)
		spoken = spoken || words
		if block != "" {
			blocks = append(blocks, block)
		}
	}
	if !spoken && r.StructuredContent != nil {
		raw, err := json.Marshal(r.StructuredContent)
		if err != nil {
			return "", fmt.Errorf("reading the structured result: %w", err)
		}
		blocks = append(blocks, string(raw))
	}
	out := cut(strings.ToValidUTF8(strings.Join(blocks, "\n"), "\uFFFD"), limit.MCPResult)
	switch {
	case !r.IsError:
		return out, nil
	case out == "":
		return "", errSaidNothing
	default:
		return "", errors.New(out)
	}
}

// describe returns a block as text, and whether the text is the block's own content.
func describe(c sdk.Content) (string, bool) {
	switch c := c.(type) {
	case *sdk.TextContent:
		return c.Text, true
	case *sdk.ImageContent:
		return fmt.Sprintf("[image, %s, %d bytes: not shown]", kindOf(c.MIMEType), len(c.Data)), false
	case *sdk.AudioContent:
		return fmt.Sprintf("[audio, %s, %d bytes: not shown]", kindOf(c.MIMEType), len(c.Data)), false
	case *sdk.ResourceLink:
		return fmt.Sprintf("[resource %s, %s]", c.URI, kindOf(c.MIMEType)), false
	case *sdk.EmbeddedResource:
		return describeResource(c.Resource)
	default:
		return fmt.Sprintf("[content of an unknown kind, %T: not shown]", c), false
	}
}

func describeResource(r *sdk.ResourceContents) (string, bool) {
	switch {
	case r == nil:
		return "", false
	case r.Text != "":
		return fmt.Sprintf("[resource %s, %s]\n%s", r.URI, kindOf(r.MIMEType), r.Text), true
	default:
		return fmt.Sprintf("[resource %s, %s, %d bytes: not shown]", r.URI, kindOf(r.MIMEType), len(r.Blob)), false
	}
}

func kindOf(mime string) string {
	if mime == "" {
		return "of unknown type"
	}
	return mime
}

// cut keeps the first limit bytes of s and reports how much it omitted. It never splits a rune.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return fmt.Sprintf("%s\n[cut: %d of %d bytes left out]", s[:end], len(s)-end, len(s))
}
