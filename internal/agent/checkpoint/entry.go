package checkpoint

import (
	"io/fs"
	"time"
)

// The types of entries. gone is only written to the log.
const (
	file = 'f'
	dir  = 'd'
	link = 'l'
	gone = '-'
)

// hash is the SHA-256 of a content.
type hash [32]byte

// entry is a file, a directory or a link as a snapshot found it.
type entry struct {
	// Path is relative to the tree, with slashes.
	Path string
	Type byte
	// Mode holds the permissions.
	Mode fs.FileMode
	// Hash names the content of a file, and Target is where a link leads.
	Hash   hash
	Target string
	// Size, Modified, Changed and Inode say whether a file is still the same. Changed and Inode are 0 where the system does not tell.
	Size              int64
	Modified, Changed int64
	Inode             uint64
	// Fresh is set if the file may have changed after it was read without a difference in its times.
	Fresh bool

	// seen is the number of the last look that found the entry.
	seen int
}

// same reports whether two entries stand for the same state.
func (e *entry) same(o *entry) bool {
	if e == nil || o == nil {
		return e == o
	}
	return e.Type == o.Type && e.Mode == o.Mode && e.Hash == o.Hash && e.Target == o.Target
}

// untouched reports whether a file is the one that the entry describes, so that it need not be read.
func (e *entry) untouched(now entry) bool {
	return e.Type == now.Type && !e.Fresh && e.Size == now.Size && e.Modified == now.Modified && e.Changed == now.Changed && e.Inode == now.Inode
}

// How long after a change another one may leave the times as they are: usually the clock of the kernel, and the resolution of file systems that
// store seconds.
const (
	tick   = 50 * time.Millisecond
	coarse = 2 * time.Second
)

// fresh reports whether a file changed so shortly before it was read that another change would not show.
func fresh(modified, changed, began int64) bool {
	newest := max(modified, changed)
	slack := tick
	if newest%int64(time.Second) == 0 {
		slack = coarse
	}
	return newest > began-int64(slack)
}
