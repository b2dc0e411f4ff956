package acp

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/agent/prompt"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/files"
)

// input is a prompt of the client.
type input struct {
	// text is what the user wrote. context is what the client adds: files with their content, and links. It mentions no files,
	// whatever it contains. links mentions the files that the client links to, so that they are attached by the same rules as
	// those that the user mentions: the path may come from a text that the editor only shows.
	text, context, links string
	attached             []frontend.Attachment
}

// line returns what the user enters.
func (in input) line() frontend.Line {
	return frontend.Line{Text: in.text, Added: prompt.Escape(in.context) + in.links, Attached: in.attached}
}

// read reads the blocks of a prompt.
func read(blocks []contentBlock) (input, error) {
	var in input
	for i, b := range blocks {
		if err := in.add(b); err != nil {
			return in, failure(codeInvalidParams, "reading part %d of the prompt: %s", i+1, err)
		}
	}
	if line := in.line(); strings.TrimSpace(line.Text) == "" && line.Added == "" && len(line.Attached) == 0 {
		return in, failure(codeInvalidParams, "the prompt is empty")
	}
	return in, nil
}

func (in *input) add(b contentBlock) error {
	switch b.Type {
	case "text":
		in.text += b.Text
	case "image", "audio":
		return in.data(b.Data)
	case "resource_link":
		in.link(b)
	case "resource":
		return in.resource(b.Resource)
	default:
		return fmt.Errorf("aura does not know content of type %q", b.Type)
	}
	return nil
}

// data adds a media file. Whether the model takes it is known when it is sent.
func (in *input) data(encoded string) error {
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return fmt.Errorf("the data is not base64: %w", err)
	}
	if files.MediaType(data) == "" {
		return fmt.Errorf("the data is neither an image nor audio that models take, nor a PDF file")
	}
	in.attached = append(in.attached, frontend.Attachment{Data: data})
	return nil
}

// link adds a resource by its address. A file is mentioned; everything else the model knows by its address, and so it does a file
// whose name cannot be written as a mention.
func (in *input) link(b contentBlock) {
	path, ok := pathOf(b.URI)
	if info, err := os.Stat(path); !ok || strings.ContainsAny(path, "\"\n") || err == nil && info.IsDir() {
		in.context += fmt.Sprintf("\n\n<link name=%q uri=%q />", b.Name, b.URI)
		return
	}
	in.links += fmt.Sprintf("\n\n@\"%s\"", path)
}

// resource adds a resource with its content.
func (in *input) resource(r *resource) error {
	switch {
	case r == nil:
		return fmt.Errorf("the resource is missing")
	case r.Text != nil:
		in.context += fmt.Sprintf("\n\n<file path=%q>\n%s\n</file>", nameOf(r.URI), strings.TrimRight(*r.Text, "\n"))
		return nil
	case r.Blob != nil:
		return in.data(*r.Blob)
	default:
		return fmt.Errorf("the resource %s has neither text nor a blob", r.URI)
	}
}

// pathOf returns the absolute path that a file URI names.
func pathOf(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return "", false
	}
	path := u.Path
	if len(path) > 2 && path[0] == '/' && path[2] == ':' {
		path = path[1:] // file:///C:/dir
	}
	path = filepath.FromSlash(path)
	return path, filepath.IsAbs(path)
}

// nameOf returns the path of a file URI, or else the URI.
func nameOf(uri string) string {
	if path, ok := pathOf(uri); ok {
		return path
	}
	return uri
}
