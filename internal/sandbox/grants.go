package sandbox

import (
	"os"
	"slices"
	"sync"
)

// Identity names a file or directory independently of its path. It stays unique for as long as somebody has it open.
type Identity struct {
	Device uint64 `json:"dev"`
	Inode  uint64 `json:"ino"`
}

// Grants opens what policies grant and keeps it open until Close. Confined code can replace a directory that it can write by
// another one, or by a symbolic link, between two calls. So a path is followed and opened once, and a confined process uses
// it only if it still leads to what was opened.
//
// The zero value is ready for use, from several goroutines.
type Grants struct {
	mu sync.Mutex
	// workdir is the working directory as the user named it, and where that led when it was opened.
	workdir, root string
	// known are the paths that were followed, by their names in policies.
	known map[string]grant
	// writable are the trees that any process confined so far may write, without links.
	writable []string
	// id is that of the working directory, nil if it could not be opened; files is all that is open.
	id    *Identity
	files []*os.File
}

// grant is where a path leads. Id is set if confined code could make it lead elsewhere.
type grant struct {
	path string
	id   *Identity
	// links are the symbolic links on the way, each by its place in a directory without links.
	links []string
}

// opened holds the grants of this process, by working directory. They last as long as the process does.
var opened struct {
	mu    sync.Mutex
	place map[string]*Grants
}

// GrantsIn returns the grants of this process for a working directory, which it opens the first time. Symbolic links that lead
// to it are followed then: the user chose it.
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

// Close lets go of what was opened. Processes must no longer be started with policies of these grants.
func (g *Grants) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, f := range g.files {
		_ = f.Close()
	}
	g.files, g.known, g.writable = nil, nil, nil
}

// note adds a sentence on what the policy cannot hold.
func (p *Policy) note(sentence string) {
	if !slices.Contains(p.Uncovered, sentence) {
		p.Uncovered = append(slices.Clip(p.Uncovered), sentence)
	}
}
