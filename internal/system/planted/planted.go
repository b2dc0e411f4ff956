// Package planted finds what confined code leaves in places that other programs run, and takes it away. The user's Git obeys the
// settings and hooks of every repository that it meets, and agents and editors obey files with certain names. The kernel can keep
// such files from being changed, but it cannot keep a name from being created.
//
// A Watch looks at these places before and after a call of confined code. What appeared and would run without a question is moved
// to a Store, from which the user can restore it. Other things are named once.
package planted

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Place describes what is watched. All paths are absolute and have no links.
type Place struct {
	// Workdir is the working directory, and Trees lists the directories in and beside it that confined code can write.
	Workdir string
	Trees   []string
	// Writable lists everything that confined code can write. Nothing else is ever moved.
	Writable []string
	// Protected lists the paths that stay read-only if they exist.
	Protected []string
	// Created reports whether the sandbox itself creates a path of Protected, as an empty directory.
	Created func(path string) bool
	// Hides returns a sentence if an entry .git at a path of Protected hides the project from later sessions; otherwise it is empty.
	Hides func(path string) string
	Store Store
}

// Finding is a thing that appeared, or changed, during a call.
type Finding struct {
	Path string
	// Why says what is wrong with it.
	Why string
	// ID is the entry of the store that it was moved to; 0 if it is still there. PutBack is set if its former content is there again.
	ID      int
	PutBack bool
	// Err says why it could not be moved.
	Err error
	// Limit is set if this is not about a thing, but about a place that was not looked at completely.
	Limit bool
}

// Text returns a sentence for the user and the model. by is who left it there.
func (f Finding) Text(by string) string {
	if f.Limit {
		return f.Path + ": " + f.Why
	}
	text := fmt.Sprintf("%s left %s: %s", by, f.Path, f.Why)
	switch {
	case f.ID == 0 && f.Err != nil:
		return fmt.Sprintf("%s; aura could not move it away (%v), so look at it before you run anything there", text, f.Err)
	case f.ID == 0:
		return text + "; look at it before you use it"
	case f.PutBack:
		text += "; aura put the former content back, and the new one is"
	default:
		text += "; aura moved it away, and it is"
	}
	text += fmt.Sprintf(" in the quarantine (to restore it: aura sandbox quarantine restore %d)", f.ID)
	if f.Err != nil {
		text += "; " + f.Err.Error()
	}
	return text
}

// within reports whether a path is dir or below it.
func within(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}
