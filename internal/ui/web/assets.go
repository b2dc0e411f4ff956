package web

import (
	"embed"
	"net/http"
	"path"
	"strings"
)

//go:embed assets
var assets embed.FS

// isAsset reports whether a path is one of our files. They are the same for everybody and hold no secret.
func isAsset(name string) bool {
	return strings.HasPrefix(name, "/assets/")
}

// types are the media types of assets.
var types = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}

func serveAsset(w http.ResponseWriter, r *http.Request) {
	content, err := assets.ReadFile(strings.TrimPrefix(path.Clean(r.URL.Path), "/"))
	if err != nil {
		refuse(w, http.StatusNotFound, "there is no such file")
		return
	}
	w.Header().Set("Content-Type", types[path.Ext(r.URL.Path)])
	// A client that has gone does not need the answer.
	_, _ = w.Write(content)
}

// serveShell answers with a page that holds nothing of the user's.
func serveShell(w http.ResponseWriter) {
	writePage(w, http.StatusOK, "shell", layout{Title: "aura"})
}
