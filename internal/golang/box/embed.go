package box

import (
	"cmp"
	"embed"
	"path"
	"slices"
	"strings"
	"unsafe"
)

// embeddedFile is a file as package embed has it. Directories end with a slash. TestEmbed fails if a release of Go changes the layout.
type embeddedFile struct {
	name, data string
	_          [16]byte
}

// Embed returns files with their directories. files holds names and contents alternately.
func Embed(files ...string) embed.FS {
	contents := map[string]string{}
	for i := 0; i+1 < len(files); i += 2 {
		contents[files[i]] = files[i+1]
		for dir := path.Dir(files[i]); dir != "."; dir = path.Dir(dir) {
			contents[dir+"/"] = ""
		}
	}
	list := make([]embeddedFile, 0, len(contents))
	for name, data := range contents {
		list = append(list, embeddedFile{name: name, data: data})
	}
	slices.SortFunc(list, func(a, b embeddedFile) int {
		a.name, b.name = strings.TrimSuffix(a.name, "/"), strings.TrimSuffix(b.name, "/")
		return cmp.Or(strings.Compare(path.Dir(a.name), path.Dir(b.name)), strings.Compare(path.Base(a.name), path.Base(b.name)))
	})
	held := struct{ files *[]embeddedFile }{&list}
	return *(*embed.FS)(unsafe.Pointer(&held)) //nolint:gosec // package embed has no constructor
}
