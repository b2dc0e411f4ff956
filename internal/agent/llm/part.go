package llm

import (
	"bytes"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
)

// Part is an image or a PDF file that a user's message carries beside its text. It is a value: Data is never changed.
type Part struct {
	// Name is the path as the user gave it, or an invented file name.
	Name string `json:"name"`
	// Type is the media type, such as image/png or application/pdf. It follows from Data.
	Type string `json:"media_type"`
	Data []byte `json:"data"`
}

// Image reports whether the part is an image. Otherwise it is a PDF file.
func (p Part) Image() bool { return strings.HasPrefix(p.Type, "image/") }

// The estimated tokens of parts. Services scale down large images, so that none takes many more tokens than this. A page of a
// PDF file is read as an image and as text.
const (
	imageTokens = 1600
	pageTokens  = 3000
	// pageBytes is the assumed size of a page if the pages cannot be counted. maxPages is more than any service accepts.
	pageBytes = 64 << 10
	maxPages  = 1000
)

// Tokens estimates how many tokens of the model's context the part takes.
func (p Part) Tokens() int {
	if p.Image() {
		return imageTokens
	}
	return min(max(pages(p.Data), 1), maxPages) * pageTokens
}

// pages counts the page objects of a PDF file. If they are compressed, it derives the number from the size.
func pages(pdf []byte) int {
	n := 0
	for rest := pdf; ; {
		_, after, found := bytes.Cut(rest, []byte("/Type"))
		if !found {
			break
		}
		rest = after
		name := bytes.TrimLeft(rest[:min(len(rest), len(" \r\n/Pages"))], " \r\n\t")
		if bytes.HasPrefix(name, []byte("/Page")) && !bytes.HasPrefix(name, []byte("/Pages")) {
			n++
		}
	}
	if n == 0 {
		n = len(pdf) / pageBytes
	}
	return n
}

// The capabilities that decide which parts a model takes.
const (
	// Vision is the capability to take images.
	Vision = "vision"
	// Files is the capability to take PDF files.
	Files = "files"
)

// Needs returns the capability that a model needs to take files of a media type.
func Needs(mediaType string) string {
	if mediaType == files.PDF {
		return Files
	}
	return Vision
}

// Refuses reports whether the model is known not to take files of a media type. A model without any known capability may take
// them: its service decides.
func (m Model) Refuses(mediaType string) bool {
	return len(m.Capabilities) > 0 && !slices.Contains(m.Capabilities, Needs(mediaType))
}
