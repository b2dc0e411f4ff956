package files

import "net/http"

// PDF is the media type of PDF files.
const PDF = "application/pdf"

// mediaTypes holds the media types that MediaType recognizes.
var mediaTypes = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, PDF: true}

// Head is how many bytes of a file MediaType needs.
const Head = 512

// MediaType returns the media type of an image that model services accept, or of a PDF file. It looks at the beginning of the
// content only, never at a name. It returns an empty string for everything else.
func MediaType(content []byte) string {
	found := http.DetectContentType(content[:min(len(content), Head)])
	if !mediaTypes[found] {
		return ""
	}
	return found
}
