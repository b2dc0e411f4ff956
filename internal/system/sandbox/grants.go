package sandbox

import (
	"os"
	"sync"

	"github.com/idelchi/aura/internal/system/hidden"
)

// Grants opens what policies grant and keeps it open until Close. Between two calls, confined code can replace a directory that
// it can write by another directory or by a symbolic link. Therefore a path is followed and opened once. A confined process gets
// the descriptor, and uses the path only if it still leads to the same file.
//
// The zero value is ready for use. Several goroutines may use it.
type Grants struct {
	mu sync.Mutex
	// workdir is the working directory as the user named it. root is the directory that workdir led to when it was opened.
	workdir, root string
	// known holds the paths that were followed, by their names in policies.
	known map[string]grant
	// writable lists the trees that any process confined so far may write, as paths without links.
	writable []string
	// helper mounts layers. layers holds those that are mounted, by the path of the cache. unlayered is why there are none. They are stored in
	// slot, which slotLock keeps for this process.
	helper, slot string
	layers       map[string]*os.File
	unlayered    error
	slotLock     *os.File
	// git holds the private copies of Git's settings.
	git gitCopies
	// finders hold what is known about the working directory, by the rules that hide files.
	finders map[*hidden.Rules]*hidden.Finder
	// gate leads processes with rules to the network; nil if there was none yet.
	gate *gate
	// dir is the working directory; nil if it could not be opened. files holds all open files, by their paths without links.
	dir   *os.File
	files map[string]*os.File
}

// grant holds where a path leads. file is what it led to, if confined code could make the path lead elsewhere.
type grant struct {
	path string
	file *os.File
	// links lists the symbolic links on the way, each as a name in a directory whose path has no links.
	links []string
}

// opened holds the grants of this process, by working directory. They are kept until the process ends.
var opened struct {
	mu    sync.Mutex
	place map[string]*Grants
}

// GrantsIn returns the grants of this process for a working directory. The first call opens the directory. It follows the
// symbolic links that lead to the directory, because the user chose it.
func GrantsIn(workdir string) *Grants {
	opened.mu.Lock()
	defer opened.mu.Unlock()
	if g := opened.place[workdir]; g != nil {
		return g
	}
	g := new(Grants)
	g.enter(workdir)
	if opened.place == nil {
		opened.place = map[string]*Grants{}
	}
	opened.place[workdir] = g
	return g
}

// Close closes all open files. After Close, no process may be started with a policy that these grants opened.
func (g *Grants) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, f := range g.files {
		_ = f.Close()
	}
	for _, f := range g.layers {
		_ = f.Close()
	}
	if g.slotLock != nil {
		_ = g.slotLock.Close()
	}
	g.files, g.known, g.writable = nil, nil, nil
	g.gate.close()
	g.gate = nil
	g.git.close()
	g.closeFinders()
	g.layers, g.slot, g.slotLock, g.unlayered = nil, "", nil, nil
}
