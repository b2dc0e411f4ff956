// Package state names the directories in which aura keeps its own state. None of them lies in a project, because whatever
// lies there can be written by the tools and plugins that work on it.
package state

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
)

// Paths are the directories of one project. They are absolute and need not exist. The zero value is a user without a place for
// state: nothing is kept then.
type Paths struct {
	// Root holds everything: $XDG_STATE_HOME/aura. What belongs to the user and not to a project lies right below it.
	Root string
	// Project is the directory of this project below Root.
	Project string
}

// Locate finds the directories. Xdg is the value of XDG_STATE_HOME, home the user's home directory, and project the directory
// that the state belongs to. A relative xdg does not count, as the XDG specification demands.
func Locate(xdg, home, project string) Paths {
	switch {
	case filepath.IsAbs(xdg):
	case filepath.IsAbs(home):
		xdg = filepath.Join(home, ".local", "state")
	default:
		return Paths{}
	}
	return Paths{Root: filepath.Join(xdg, "aura")}.Of(project)
}

// maxReadable bounds the readable part of a project's name, in bytes.
const maxReadable = 40

// name is different for each directory and the same for all paths that lead to it. It begins as the directory is called, so
// that a person finds it.
func name(project string) string {
	if resolved, err := filepath.EvalSymlinks(project); err == nil {
		project = resolved
	}
	sum := sha256.Sum256([]byte(filepath.Clean(project)))
	readable := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		default:
			return '_'
		}
	}, filepath.Base(project))
	return readable[:min(len(readable), maxReadable)] + "-" + hex.EncodeToString(sum[:8])
}

func (p Paths) below(dir, name string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

// Sessions holds the journals of the project's sessions.
func (p Paths) Sessions() string { return p.below(p.Project, "sessions") }

// Output holds what tools printed beyond what the model is shown, a directory for each session.
func (p Paths) Output() string { return p.below(p.Project, "output") }

// Logs holds the logs of the project's plugins.
func (p Paths) Logs() string { return p.below(p.Project, "logs") }

// Data holds a directory for each of the project's plugins.
func (p Paths) Data() string { return p.below(p.Project, "data") }

// User is the state of what belongs to the user: logs and data of the plugins in the user's home.
func (p Paths) User() Paths { return Paths{Root: p.Root, Project: p.below(p.Root, "user")} }

// Cache holds what aura can find out again, such as what plugins export.
func (p Paths) Cache() string { return p.below(p.Root, "cache") }

// Run holds the sockets of running sessions where the system has no directory for that.
func (p Paths) Run() string { return p.below(p.Root, "run") }

// Trust is the file with the user's consents.
func (p Paths) Trust() string { return p.below(p.Root, "trust.json") }

// AllSessions are the directories with the journals of every project. They need not exist.
func (p Paths) AllSessions() []string {
	if p.Root == "" {
		return nil
	}
	projects := filepath.Join(p.Root, "projects")
	entries, err := os.ReadDir(projects)
	if err != nil {
		return nil // there are no projects yet
	}
	var out []string
	for _, e := range entries {
		out = append(out, filepath.Join(projects, e.Name(), "sessions"))
	}
	return out
}

// Of is the state of another project.
func (p Paths) Of(project string) Paths {
	if p.Root == "" {
		return Paths{}
	}
	return Paths{Root: p.Root, Project: filepath.Join(p.Root, "projects", name(project))}
}
