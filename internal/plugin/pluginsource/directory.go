package pluginsource

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Outside returns the reason why the directory of a package is not part of the plugin, and what to do about it, or empty strings. rel is a
// slash-separated path below the plugin's directory. Consents, hashes and the list of what a plugin asks for skip hidden
// directories and follow no links, so the loader must not run source from there.
func Outside(dir, rel string) (reason, fix string) {
	at := dir
	for element := range strings.SplitSeq(rel, "/") {
		if strings.HasPrefix(element, ".") {
			return "hidden directories are not part of a plugin", "rename it"
		}
		at = filepath.Join(at, element)
		if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return at + " is a link, which is not part of a plugin", "copy the directory"
		}
	}
	return "", ""
}

// PackageDir returns the directory of a package, as a slash-separated path below the directory of the plugin that has the module.
func PackageDir(module, importPath string) string {
	if Owns(module, importPath) {
		return strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
	}
	return "vendor/" + importPath
}

// Owns reports whether an import path is located in a module.
func Owns(module, importPath string) bool {
	return importPath == module || strings.HasPrefix(importPath, module+"/")
}
