package sandbox

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// PrivateTemp returns the path of a directory for temporary files that belongs to this process alone; see Place.Private. The
// directory is created when the first policy with it is opened. The caller must call RemovePrivateTemp before the process ends.
// The name is random, so no other process can create it first.
var PrivateTemp = sync.OnceValue(func() string {
	return filepath.Join(systemTemp, "aura-tmp-"+strings.ToLower(rand.Text()))
})

// RemovePrivateTemp removes the directory with everything that confined code left in it. It does not follow links.
func RemovePrivateTemp() error { return os.RemoveAll(PrivateTemp()) }

// systemTemp is the directory that every program may write to.
const systemTemp = "/tmp"

// temp returns the directory for temporary files that the environment names, or systemTemp.
func (at Place) temp() string {
	if at.Temp == "" {
		return systemTemp
	}
	return at.Temp
}

// private returns the private directory if it replaces the usual one, or nil.
func (at Place) private() []string {
	if !at.wide(at.temp()) {
		return nil
	}
	return present(at.Private)
}

// grantTemp makes the private directory the one for temporary files, if it is writable under the policy.
func (p *Policy) grantTemp(at Place) {
	p.Temp = ""
	for _, dir := range at.private() {
		if covering(p.ReadWrite, dir) == "" {
			continue
		}
		p.Temp = dir
		p.ReadWrite = appendNew(p.ReadWrite, dir)
		p.Make, p.Inner = appendNew(p.Make, dir), appendNew(p.Inner, dir)
	}
}

// Environ adds TMPDIR to an environment if the policy grants another directory for temporary files than the usual one.
func (p Policy) Environ(environ []string) []string {
	if p.Temp == "" {
		return environ
	}
	return append(slices.Clip(environ), "TMPDIR="+p.Temp)
}

// appendNew appends a path unless the list contains it.
func appendNew(paths []string, path string) []string {
	if slices.Contains(paths, path) {
		return paths
	}
	return append(slices.Clip(paths), path)
}
