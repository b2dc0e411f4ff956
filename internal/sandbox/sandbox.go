// Package sandbox lets the kernel bound what a process may do: which files it reaches, whether it has a network, whether it
// may start programs. A Policy says what is allowed; a process applies one to itself with Confine, before it runs anything it
// does not trust, and cannot undo it. Everything it starts is bound likewise.
//
// Four parts of the kernel work together, because none of them sees everything. Landlock bounds files, signals and abstract
// sockets. A filter of system calls bounds the rest: sockets, programs, and the calls that lead around Landlock. A private
// mount namespace makes what is not writable read-only, which also covers modes and times, holds some directories inside
// writable ones read-only, and shows no process but the sandbox's own. Resource limits bound memory and processes.
//
// Only Linux can do this. Elsewhere Confine refuses, and Support says why.
package sandbox

import (
	"errors"
	"slices"
)

// Policy is what a confined process may do. All paths are absolute. A path that does not exist grants nothing.
type Policy struct {
	// ReadOnly and ReadWrite are trees or files. Programs in either may be started if Exec allows any.
	ReadOnly  []string `json:"ro"`
	ReadWrite []string `json:"rw"`
	// Make are directories of ReadWrite that are made if they are missing, unless they lie inside another one.
	Make []string `json:"make,omitempty"`
	// Temp is the directory of ReadWrite for temporary files, if it is not the usual one; see Environ.
	Temp string `json:"temp,omitempty"`
	// Own is what the process needs to run at all, such as its executable and its plugin's source. It is readable whatever
	// the settings say.
	Own []string `json:"own,omitempty"`
	// Protected paths stay read-only though they lie inside a writable tree.
	Protected []string `json:"protected,omitempty"`
	// Named are those of Protected that are never made if they are missing. Tools for files refuse them by their names.
	Named []string `json:"named,omitempty"`
	// Inner are directories of ReadWrite that stay so though they lie inside a protected or hidden tree, such as the one that
	// aura has made for the output of a tool.
	Inner []string `json:"inner,omitempty"`
	// Exposed are paths that would be protected if the working directory were not inside of them. They are told.
	Exposed []string `json:"exposed,omitempty"`
	// Hidden paths are out of reach though they lie inside a tree that is not.
	Hidden []string `json:"hidden,omitempty"`
	// Network allows TCP and UDP. Raw, packet and netlink sockets are never allowed.
	Network bool `json:"network"`
	// UnixSockets allows to reach other processes by Unix sockets. Pairs of connected sockets are always allowed.
	UnixSockets bool `json:"unix_sockets"`
	// Exec allows to start programs.
	Exec   bool   `json:"exec"`
	Limits Limits `json:"limits"`

	// Opened is set by Grants.Open: no path has links then. Identities are those of the paths that confined code could replace; a
	// path that leads to something else grants nothing. Uncovered are sentences about what could not be granted or protected.
	// Workdir is where the process is to be started, and WorkdirID what was there; nil means that nobody looked.
	Workdir    string              `json:"workdir,omitempty"`
	WorkdirID  *Identity           `json:"workdir_id,omitempty"`
	Opened     bool                `json:"opened,omitempty"`
	Identities map[string]Identity `json:"identities,omitempty"`
	Uncovered  []string            `json:"uncovered,omitempty"`
}

// Limits bound resources; 0 means that there is no bound.
type Limits struct {
	// MemoryBytes is what each process may allocate, in bytes.
	MemoryBytes int64 `json:"memory,omitempty"`
	// Processes is how many processes and threads there may be at a time. It needs a process namespace.
	Processes int `json:"processes,omitempty"`
}

// Isolation is what the parent could arrange when it started the process: see process.Isolation.
type Isolation struct {
	// Processes tells that the process is the first one of a process namespace.
	Processes bool `json:"processes"`
	// Mounts tells that the process has a mount namespace of its own and may still change it.
	Mounts bool `json:"mounts"`
}

// Report is what Confine established.
type Report struct {
	// Confined is true if the policy holds, but for what Uncovered lists.
	Confined bool `json:"confined"`
	// Landlock is the version of the kernel's interface that is in force.
	Landlock int `json:"landlock"`
	// Mounts tells that a private mount namespace is in force, Proc that it has a private /proc.
	Mounts bool `json:"mounts"`
	Proc   bool `json:"proc"`
	// Uncovered are sentences, each about a part of the policy that could not be enforced.
	Uncovered []string `json:"uncovered"`
	// Missing are sentences about protected paths that do not exist, and so are not protected once somebody makes them.
	Missing []string `json:"missing"`
}

func (r *Report) misses(sentence string) {
	if !slices.Contains(r.Missing, sentence) {
		r.Missing = append(r.Missing, sentence)
	}
}

func (r *Report) lacks(sentence string) {
	if !slices.Contains(r.Uncovered, sentence) {
		r.Uncovered = append(r.Uncovered, sentence)
	}
}

// ErrUnsupported means that this system cannot confine a process.
var ErrUnsupported = errors.New("this system cannot enforce a sandbox")
