package sandbox

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// PrivateTemp names a directory for temporary files that belongs to this process alone; see Place.Private. It is made when the first
// policy with it is opened. Whoever ends the process calls RemovePrivateTemp. Nobody can guess the name and take it before.
var PrivateTemp = sync.OnceValue(func() string {
	return filepath.Join(systemTemp, "aura-tmp-"+strings.ToLower(rand.Text()))
})

// RemovePrivateTemp removes the directory with all that confined code left in it. No link there is followed.
func RemovePrivateTemp() error { return os.RemoveAll(PrivateTemp()) }

// systemTemp is where every program may write.
const systemTemp = "/tmp"

// temp is the directory for temporary files by the environment.
func (at Place) temp() string {
	if at.Temp == "" {
		return systemTemp
	}
	return at.Temp
}

// private is the private directory, if it takes the place of the usual one.
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

// Environ is an environment with the directory for temporary files that the policy grants, if that is not the usual one.
func (p Policy) Environ(environ []string) []string {
	if p.Temp == "" {
		return environ
	}
	return append(slices.Clip(environ), "TMPDIR="+p.Temp)
}

// appendNew appends a path unless it is there.
func appendNew(paths []string, path string) []string {
	if slices.Contains(paths, path) {
		return paths
	}
	return append(slices.Clip(paths), path)
}
