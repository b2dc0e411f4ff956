package pluginsource

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Outside returns why the directory of a package, a path with slashes below a plugin's directory, is not part of the plugin, or
// the empty string. Consents, hashes and what a plugin asks for leave out hidden directories and follow no links, so the
// loader must not run source from there.
func Outside(dir, rel string) string {
	at := dir
	for element := range strings.SplitSeq(rel, "/") {
		if strings.HasPrefix(element, ".") {
			return "hidden directories are not part of a plugin, rename it"
		}
		at = filepath.Join(at, element)
		if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return at + " is a link, which is not part of a plugin; copy the directory"
		}
	}
	return ""
}

// PackageDir is where a package lies below the directory of the plugin that has the module, as a path with slashes.
func PackageDir(module, importPath string) string {
	if Owns(module, importPath) {
		return strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
	}
	return "vendor/" + importPath
}

// Owns reports whether an import path lies in a module.
func Owns(module, importPath string) bool {
	return importPath == module || strings.HasPrefix(importPath, module+"/")
}
