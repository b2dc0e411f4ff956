package llmtest

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/limit"
)

// The sizes that the services accept, in bytes of the encoded form.
const (
	maxImage = 10 << 20
	maxPDF   = 2 * limit.PDF
	maxAudio = 20 << 20
)

// checkMedia returns an error unless data is, in base64, a file of the media type, for which a model needs the capability.
func checkMedia(mediaType, data, capability string) error {
	most := map[string]int{llm.Vision: maxImage, llm.Files: maxPDF, llm.Audio: maxAudio}[capability]
	content, err := base64.StdEncoding.DecodeString(data)
	return first(
		err,
		want(len(content) > 0, "data: empty"),
		want(len(data) <= most, "data: %d bytes exceed the maximum of %d", len(data), most),
		want(llm.Needs(mediaType) == capability, "media type %q is not allowed here", mediaType),
		want(files.MediaType(content) == mediaType, "the file is %q, not %q", files.MediaType(content), mediaType),
	)
}

// mediaLine describes a file in base64 as a line of a request.
func mediaLine(mediaType, data string) string {
	content, _ := base64.StdEncoding.DecodeString(data)
	return fmt.Sprintf("attached: %s, %d bytes", mediaType, len(content))
}

// dataURL splits a URL that contains a file in base64.
func dataURL(url string) (mediaType, data string, err error) {
	head, data, found := strings.Cut(url, ";base64,")
	mediaType, scheme := strings.CutPrefix(head, "data:")
	return mediaType, data, want(found && scheme, "%.40q is no data URL in base64", url)
}
