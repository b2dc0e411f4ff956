// Package state names the directories in which aura keeps its own state. None of them is located in a project, because the
// tools and plugins that work on a project can write there.
package state

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
)

// Paths holds the directories of one project. They are absolute and need not exist. The zero value is for a user without a
// directory for state: nothing is stored then.
type Paths struct {
	// Root contains everything: $XDG_STATE_HOME/aura. State that belongs to the user and not to a project is located directly
	// below it.
	Root string
	// Project is the directory of this project below Root.
	Project string
}

// Locate returns the directories. xdg is the value of XDG_STATE_HOME, home is the user's home directory, and project is the
// directory that the state belongs to. A relative xdg is ignored, as the XDG specification demands.
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

// maxReadable is the largest size of the readable part of a project's name, in bytes.
const maxReadable = 40

// name returns a name that is different for each directory and the same for all paths that lead to it. It begins with the base
// name of the directory, so that a person can find it.
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

// Sessions returns the directory of the journals of the project's sessions.
func (p Paths) Sessions() string { return p.below(p.Project, "sessions") }

// Output returns the directory of tool output that exceeds what the model is shown. It contains a directory for each session.
func (p Paths) Output() string { return p.below(p.Project, "output") }

// Prompts returns the path of the file with the prompts that the user typed in the project's sessions.
func (p Paths) Prompts() string { return p.below(p.Project, "prompts.jsonl") }

// Drafts returns the directory of the prompts that are open in an editor.
func (p Paths) Drafts() string { return p.below(p.Project, "drafts") }

// Logs returns the directory of the logs of the project's plugins.
func (p Paths) Logs() string { return p.below(p.Project, "logs") }

// Data returns the directory that contains a data directory for each of the project's plugins.
func (p Paths) Data() string { return p.below(p.Project, "data") }

// Values returns the directory of the values that aura keeps for the project's plugins. It contains a directory for the project
// and one for each session.
func (p Paths) Values() string { return p.below(p.Project, "values") }

// ProjectValues returns the directory of the values that all sessions of the project share.
func (p Paths) ProjectValues() string { return p.below(p.Values(), "project") }

// SessionValues returns the directory of the values of one session.
func (p Paths) SessionValues(id string) string { return p.below(p.below(p.Values(), "sessions"), id) }

// Rewinds returns the directory of what is kept to return to earlier states of files. It contains a directory for each session.
func (p Paths) Rewinds() string { return p.below(p.Project, "rewind") }

// Transcripts returns the directory of copies of sessions for hooks that were written for other agents. It contains a directory for each
// session that runs.
func (p Paths) Transcripts() string { return p.below(p.Project, "transcripts") }

// Server returns the directory in which a confined MCP server of the project keeps files.
func (p Paths) Server(name string) string { return p.below(p.below(p.Project, "servers"), name) }

// Logins returns the directory of the user's logins to MCP servers.
func (p Paths) Logins() string { return p.below(p.Root, "logins") }

// Outside returns the directory in which processes of the project start that are not confined. Confined code cannot write to it.
func (p Paths) Outside() string { return p.below(p.Project, "outside") }

// Approvals returns the path of the file with the tool calls that the user approved for all sessions of the project.
func (p Paths) Approvals() string { return p.below(p.Project, "approvals.json") }

// Quarantine returns the directory of what confined code left where other programs run it.
func (p Paths) Quarantine() string { return p.below(p.Project, "quarantine") }

// Kept returns the directory of copies of plugins that were changed by hand before they were removed or updated.
func (p Paths) Kept() string { return p.below(p.Root, "kept") }

// Sources returns the directory of the sources in which the user looks for plugins, with a copy of each.
func (p Paths) Sources() string { return p.below(p.Root, "sources") }

// User returns the state that belongs to the user: logs and data of the plugins in the user's home.
func (p Paths) User() Paths { return Paths{Root: p.Root, Project: p.below(p.Root, "user")} }

// Cache returns the directory of data that aura can compute again, such as what plugins export.
func (p Paths) Cache() string { return p.below(p.Root, "cache") }

// Temp returns the directory for the temporary files of running sessions.
func (p Paths) Temp() string { return p.below(p.Root, "tmp") }

// GitCopies returns the directory for the copies of Git's settings that confined processes of running sessions see.
func (p Paths) GitCopies() string { return p.below(p.Root, "git") }

// Caches returns the directory of what confined builds added to the user's caches, with a directory for each project.
func (p Paths) Caches() string { return p.below(p.Root, "caches") }

// Layers returns the directory of this project in Caches.
func (p Paths) Layers() string { return p.below(p.Caches(), p.LayersName()) }

// LayersName returns the name of this project in Caches.
func (p Paths) LayersName() string { return filepath.Base(p.Project) }

// Run returns the directory of the sockets of running sessions, for systems that have no directory for sockets.
func (p Paths) Run() string { return p.below(p.Root, "run") }

// Announced is the file with the notices that the user has seen and that are not repeated.
func (p Paths) Announced() string { return p.below(p.Root, "announced.json") }

// Trust returns the path of the file with the user's consents.
func (p Paths) Trust() string { return p.below(p.Root, "trust.json") }

// AllSessions returns the directories of the journals of every project. They need not exist.
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

// Of returns the state of another project.
func (p Paths) Of(project string) Paths {
	if p.Root == "" {
		return Paths{}
	}
	return Paths{Root: p.Root, Project: filepath.Join(p.Root, "projects", name(project))}
}
