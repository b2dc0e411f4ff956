package files

import (
	"bytes"
	"net/http"
	"strings"
)

// PDF is the media type of PDF files.
const PDF = "application/pdf"

// The media types of audio.
const (
	WAV  = "audio/wav"
	MP3  = "audio/mpeg"
	AIFF = "audio/aiff"
	AAC  = "audio/aac"
	OGG  = "audio/ogg"
	FLAC = "audio/flac"
)

// imageTypes holds the media types of images that MediaType recognizes.
var imageTypes = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

// endings holds the endings of file names that differ from the media type.
var endings = map[string]string{MP3: "mp3"}

// Head is how many bytes of a file MediaType needs.
const Head = 512

// MediaType returns the media type of a media file: an image or audio that model services accept, or a PDF file. It looks at the
// beginning of the content only, never at a name. It returns an empty string for everything else.
func MediaType(content []byte) string {
	content = content[:min(len(content), Head)]
	found := http.DetectContentType(content)
	switch {
	case imageTypes[found] || found == PDF:
		return found
	default:
		return audioType(content)
	}
}

// AudioTypes returns the media types of audio that MediaType recognizes.
func AudioTypes() []string { return []string{WAV, MP3, AIFF, AAC, OGG, FLAC} }

// IsAudio reports whether a media type is one of audio.
func IsAudio(mediaType string) bool { return strings.HasPrefix(mediaType, "audio/") }

// Ending returns the ending of the names of files of a media type, without the dot.
func Ending(mediaType string) string {
	if ending, ok := endings[mediaType]; ok {
		return ending
	}
	_, ending, _ := strings.Cut(mediaType, "/")
	return ending
}

// audioType returns the media type of audio, or an empty string.
func audioType(head []byte) string {
	begins := func(text string) bool { return bytes.HasPrefix(head, []byte(text)) }
	form := string(head[min(8, len(head)):min(12, len(head))])
	switch {
	case begins("RIFF") && form == "WAVE":
		return WAV
	case begins("FORM") && (form == "AIFF" || form == "AIFC"):
		return AIFF
	case begins("fLaC"):
		return FLAC
	case begins("OggS") && (oggHas(head, "\x01vorbis") || oggHas(head, "OpusHead")):
		return OGG
	case begins("ID3"):
		return MP3
	default:
		return frameType(head)
	}
}

// oggHas reports whether the first packet of an Ogg file begins with magic. A page begins with 27 bytes and the sizes of its segments,
// and the first one has one segment.
func oggHas(head []byte, magic string) bool {
	const packet = 28
	return len(head) > packet && head[packet-2] == 1 && bytes.HasPrefix(head[packet:], []byte(magic))
}

// frameType recognizes audio without a file header by the header of its first frame: MP3, and AAC in ADTS.
func frameType(head []byte) string {
	if len(head) < 4 || head[0] != 0xff {
		return ""
	}
	version, bitrate, rate := head[1]>>3&3, head[2]>>4, head[2]>>2&3
	switch {
	case head[1]&0xe6 == 0xe2 && version != 1 && bitrate != 0 && bitrate != 15 && rate != 3: // Layer III
		return MP3
	case head[1]&0xf6 == 0xf0 && head[2]>>2&15 < 13: // the index of the sampling frequency
		return AAC
	default:
		return ""
	}
}
