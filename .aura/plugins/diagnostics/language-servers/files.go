package language_servers

import (
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"
	"time"
)

// maxWatched is how many files and directories below a root are looked at for changes.
const maxWatched = 5000

// stamp says whether a file has changed.
type stamp struct {
	size int64
	at   time.Time
}

// look returns the state of the files below the root that concern the server.
func (s *server) look() map[string]stamp {
	found, count := map[string]stamp{}, 0
	// What cannot be read is not watched.
	_ = filepath.WalkDir(s.root, func(path string, e fs.DirEntry, err error) error {
		if count++; count > maxWatched {
			return fs.SkipAll
		}
		if err != nil {
			return nil
		}
		name := e.Name()
		if e.IsDir() {
			if path != s.root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "vendor" || name == "target") {
				return fs.SkipDir
			}
			return nil
		}
		if !s.concerns(name) {
			return nil
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			found[path] = stamp{size: info.Size(), at: info.ModTime()}
		}
		return nil
	})
	return found
}

func (s *server) concerns(name string) bool {
	for _, mark := range s.language.roots {
		if name == mark {
			return true
		}
	}
	return s.language.files[filepath.Ext(name)] != ""
}

// uriOf returns the URI of a file.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/...
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// pathOf returns the path of a file's URI, which a server may have written in another way. It is empty for other URIs.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	path := u.Path
	if len(path) > 2 && path[2] == ':' {
		path = path[1:]
	}
	return filepath.Clean(filepath.FromSlash(path))
}
