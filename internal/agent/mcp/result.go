package mcp

import (
	"bytes"
	"cmp"
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

// attachFunc gives a media file of a result to the model and returns the file's name, or why the model does not get it. nil gives nothing.
type attachFunc func(name string, data []byte) (string, error)

// text returns the result as text for the model. If the result is an error, text returns a Go error with that text.
func text(r *sdk.CallToolResult, attach attachFunc) (string, error) {
	if r == nil {
		return "", errors.New("the server sent an empty result")
	}
	out, spoken := describeAll(r.Content, attach)
	if !spoken && r.StructuredContent != nil {
		raw, err := json.Marshal(r.StructuredContent)
		if err != nil {
			return "", fmt.Errorf("reading the structured result: %w", err)
		}
		out = strings.TrimPrefix(out+"\n"+string(raw), "\n")
	}
	out = clean(out)
	switch {
	case !r.IsError:
		return out, nil
	case out == "":
		return "", errSaidNothing
	default:
		return "", errors.New(out)
	}
}

// clean returns text of a server for the model: valid, and not too long.
func clean(text string) string {
	return cut(strings.ToValidUTF8(text, "\uFFFD"), limit.MCPResult)
}

// describeAll returns blocks as text, and whether the text contains a block's own content.
func describeAll(content []sdk.Content, attach attachFunc) (out string, spoken bool) {
	var blocks []string
	for i, c := range content {
		block, words := describe(c, i+1, attach)
		spoken = spoken || words
		if block != "" {
			blocks = append(blocks, block)
		}
	}
	return strings.Join(blocks, "\n"), spoken
}

// describe returns the n-th block as text, and whether the text is the block's own content. What attach takes, the text only names.
func describe(c sdk.Content, n int, attach attachFunc) (string, bool) {
	switch c := c.(type) {
	case *sdk.TextContent:
		return c.Text, true
	case *sdk.ImageContent:
		return describeData("image", fmt.Sprintf("image-%d", n), c.MIMEType, c.Data, attach)
	case *sdk.AudioContent:
		return describeData("audio", fmt.Sprintf("audio-%d", n), c.MIMEType, c.Data, attach)
	case *sdk.ResourceLink:
		return describeLink(c), false
	case *sdk.EmbeddedResource:
		return describeResource(c.Resource, attach)
	default:
		return fmt.Sprintf("[content of an unknown kind, %T: not shown]", c), false
	}
}

// describeLink names a resource that the model can read.
func describeLink(c *sdk.ResourceLink) string {
	out := fmt.Sprintf("[resource %s, %s", c.URI, kindOf(c.MIMEType))
	if name := cmp.Or(c.Title, c.Name); name != "" {
		out += ", " + name
	}
	if c.Size != nil {
		out += fmt.Sprintf(", %d bytes", *c.Size)
	}
	out += "]"
	if c.Description != "" {
		out += " " + cut(c.Description, limit.MCPDescription)
	}
	return out
}

// describeData names a block of data. It says why the model does not get the data, unless attach takes it.
func describeData(what, name, mime string, data []byte, attach attachFunc) (string, bool) {
	out := fmt.Sprintf("[%s, %s, %d bytes: ", what, kindOf(mime), len(data))
	if attach == nil {
		return out + "not shown]", false
	}
	shownAs, err := attach(name, data)
	if err != nil {
		return out + "not shown, because " + err.Error() + "]", false
	}
	return out + "shown as " + shownAs + "]", true
}

func describeResource(r *sdk.ResourceContents, attach attachFunc) (string, bool) {
	switch {
	case r == nil:
		return "", false
	case r.Text != "":
		return fmt.Sprintf("[resource %s, %s]\n%s", r.URI, kindOf(r.MIMEType), r.Text), true
	case len(r.Blob) == 0:
		return fmt.Sprintf("[resource %s, %s, empty]", r.URI, kindOf(r.MIMEType)), true
	case isText(r):
		return fmt.Sprintf("[resource %s, %s]\n%s", r.URI, kindOf(r.MIMEType), r.Blob), true
	default:
		return describeData("resource "+r.URI, r.URI, r.MIMEType, r.Blob, attach)
	}
}

// isText reports whether the data of a resource is text, as its type says. Some servers send all resources as data.
func isText(r *sdk.ResourceContents) bool {
	kind, _, _ := strings.Cut(r.MIMEType, ";")
	said := strings.HasPrefix(kind, "text/") || kind == "application/json" || kind == "application/xml"
	return said && utf8.Valid(r.Blob) && !bytes.ContainsRune(r.Blob, 0)
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
