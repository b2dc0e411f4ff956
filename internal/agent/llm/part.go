package llm

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
)

// Part is a media file, which a user's message carries beside its text: an image, audio or a PDF file. It is a value: Data is never changed.
type Part struct {
	// Name is the path as the user gave it, or an invented file name.
	Name string `json:"name"`
	// Type is the media type, such as image/png or application/pdf. It follows from Data.
	Type string `json:"media_type"`
	Data []byte `json:"data"`
}

// Image reports whether the part is an image.
func (p Part) Image() bool { return strings.HasPrefix(p.Type, "image/") }

// Audio reports whether the part is audio. A part that is neither an image nor audio is a PDF file.
func (p Part) Audio() bool { return files.IsAudio(p.Type) }

// The estimated tokens of parts. Services scale down large images, so that none takes many more tokens than this. A page of a
// PDF file is read as an image and as text. A second of audio takes at most this many tokens.
const (
	imageTokens = 1600
	pageTokens  = 3000
	// pageBytes is the assumed size of a page if the pages cannot be counted. maxPages is more than any service accepts.
	pageBytes = 64 << 10
	maxPages  = 1000
	// secondTokens is what Gemini counts; OpenAI counts less. secondBytes is the assumed size of a second if the file does not state it, which is
	// that of compressed speech, and the least that a file can state.
	secondTokens = 32
	secondBytes  = 8000
)

// Tokens estimates how many tokens of the model's context the part takes.
func (p Part) Tokens() int {
	switch {
	case p.Image():
		return imageTokens
	case p.Audio():
		return (len(p.Data)/bytesPerSecond(p) + 1) * secondTokens
	default:
		return min(max(pages(p.Data), 1), maxPages) * pageTokens
	}
}

// bytesPerSecond returns the size of a second of audio. The format chunk of a WAV file is the first one in nearly all files.
func bytesPerSecond(p Part) int {
	const format, rate = 12, 28
	if p.Type != files.WAV || len(p.Data) < rate+4 || string(p.Data[format:format+4]) != "fmt " {
		return secondBytes
	}
	return max(int(binary.LittleEndian.Uint32(p.Data[rate:])), secondBytes)
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
	// Audio is the capability to take audio.
	Audio = "audio"
)

// Search is the capability to search the web for a request: the service of the model does it.
const Search = "search"

// Needs returns the capability that a model needs to take files of a media type.
func Needs(mediaType string) string {
	switch {
	case mediaType == files.PDF:
		return Files
	case files.IsAudio(mediaType):
		return Audio
	default:
		return Vision
	}
}

// Refuses reports whether the model is known not to take files of a media type. A model without any known capability may take
// them if a request can hold them: its service decides.
func (m Model) Refuses(mediaType string) bool {
	return len(m.Capabilities) > 0 && !slices.Contains(m.Capabilities, Needs(mediaType)) || !m.Carries(mediaType)
}

// Carries reports whether a request to the model's service can hold files of a media type.
func (m Model) Carries(mediaType string) bool {
	return !files.IsAudio(mediaType) || slices.Contains(m.Audio, mediaType)
}
