// Package sandbox limits what a process may do, with the means of the kernel: which files the process can access, whether it
// has a network, and whether it may start programs. A Policy says what is allowed. A process applies a policy to itself with
// Confine before it runs code that it does not trust, and cannot undo it. All processes that it starts have the same limits.
//
// Four parts of the kernel work together, because none of them covers everything. Landlock restricts files, signals and
// abstract sockets. A filter of system calls restricts the rest: sockets, programs, and calls that would bypass Landlock. A
// private mount namespace makes everything that is not writable read-only, which also covers modes and times. It keeps some
// directories inside writable ones read-only, and shows only the processes of the sandbox. Resource limits apply to memory and
// processes.
//
// Only Linux can do this. On other systems Confine returns an error, and Support says why.
package sandbox

import (
	"errors"
	"os"
	"slices"

	"github.com/idelchi/aura/internal/system/network"
)

// Policy says what a confined process may do. All paths are absolute. A path that does not exist grants nothing.
type Policy struct {
	// ReadOnly and ReadWrite list directory trees or files. Programs in both may be started if Exec is set.
	ReadOnly  []string `json:"ro"`
	ReadWrite []string `json:"rw"`
	// Make lists directories of ReadWrite that are created if they are missing, unless they are inside another one.
	Make []string `json:"make,omitempty"`
	// Temp is the directory of ReadWrite for temporary files, if it is not the usual one; see Environ.
	Temp string `json:"temp,omitempty"`
	// Covers lists directories of ReadWrite that others are mounted over.
	Covers []Cover `json:"covers,omitempty"`
	// Caches lists the directories of ReadWrite that get a private layer, if the system can do that. The layers are stored in Store.
	Caches []string `json:"caches,omitempty"`
	Store  string   `json:"store,omitempty"`
	// Own lists what the process needs to run at all, such as its executable and its plugin's source. It is readable whatever
	// the settings say.
	Own []string `json:"own,omitempty"`
	// Protected lists paths that stay read-only inside a writable tree.
	Protected []string `json:"protected,omitempty"`
	// Named lists paths of Protected that are never created if they are missing. The file tools refuse them by name.
	Named []string `json:"named,omitempty"`
	// GitConfigs lists the files of Protected that contain the settings of repositories. If the policy allows programs, Grants.Open makes private
	// copies of them.
	GitConfigs []string `json:"-"`
	// Inner lists directories of ReadWrite that stay writable inside a protected or hidden tree, such as the directory that
	// aura has created for the output of a tool.
	Inner []string `json:"inner,omitempty"`
	// Shown lists directories that stay readable inside a hidden tree, such as modules that aura has written for the process. They
	// are read-only.
	Shown []string `json:"shown,omitempty"`
	// Exposed lists paths that cannot be protected, because the working directory is inside them. Confine reports them.
	Exposed []string `json:"exposed,omitempty"`
	// Hidden lists paths that are out of reach inside a tree that is within reach.
	Hidden []string `json:"hidden,omitempty"`
	// Hiding hides further paths: Grants.Open adds those that exist to Hidden.
	Hiding
	// Network allows TCP and UDP. Raw, packet and netlink sockets are never allowed.
	Network bool `json:"network"`
	// Hosts says which hosts can be reached if Network is false; nil means none. Its presets are expanded.
	Hosts *network.Rules `json:"hosts,omitempty"`
	// UnixSockets allows connections to other processes through Unix sockets. Connected pairs of sockets are always allowed.
	UnixSockets bool `json:"unix_sockets"`
	// Exec allows the process to start programs.
	Exec bool `json:"exec"`
	// Program is the only program that the process may start if Exec is not set; empty means none. It is readable if it is part of Own.
	Program string `json:"program,omitempty"`
	Limits  Limits `json:"limits"`

	// Uncovered holds sentences about what could not be granted or protected.
	Uncovered []string `json:"uncovered,omitempty"`

	directories
	Opening
}

// directories are those of a place that a policy needs when it is opened, Place.Private and Place.Copies, and its home directory.
type directories struct {
	private, copies string
	// Home is empty if there is no home directory. No message proposes to grant its places of secrets for writing.
	Home string `json:"home,omitempty"`
}

// addUncovered adds a sentence about a part of the policy that cannot be enforced.
func (p *Policy) addUncovered(sentence string) {
	if !slices.Contains(p.Uncovered, sentence) {
		p.Uncovered = append(slices.Clip(p.Uncovered), sentence)
	}
}

// Opening is what Grants.Open found for a policy. The zero value belongs to a policy that is not opened.
type Opening struct {
	// Opened is true if the policy is opened; its paths have no links then.
	Opened bool `json:"opened,omitempty"`
	// Workdir is the directory to start the process in.
	Workdir string `json:"workdir,omitempty"`
	// Links lists the symbolic links on the way to what is granted.
	Links []Link `json:"links,omitempty"`
	// GitCopies lists the private copies of Git's settings.
	GitCopies []GitCopy `json:"git_copies,omitempty"`
	// Withheld describes the paths of Hidden that Rules hide. Their names stay visible.
	Withheld map[string]Withheld `json:"withheld,omitempty"`
	// always is Hidden without what Rules hide.
	always []string
	// gitClosed says why repositories are read-only as a whole, by their Git directories.
	gitClosed map[string]string
	// Pinned lists the working directory and the paths that confined code could replace. The process gets what they led to as descriptors;
	// see Files. A path that leads to something else by now grants nothing.
	Pinned []string `json:"pinned,omitempty"`
	// Gated is true if the policy has rules for the network. Ports lists the ports that they name, and LocalPorts those of this machine.
	Gated      bool     `json:"gated,omitempty"`
	Ports      []uint16 `json:"ports,omitempty"`
	LocalPorts []uint16 `json:"local_ports,omitempty"`
	// gate leads to the network; nil in a confined process. traffic is whose use of the network the process has, which is known before the policy is
	// opened; nil if nobody is interested. See With.
	gate    *gate
	traffic *Traffic
	// files holds what the paths of Pinned led to, in the same order. Grants owns them; in a confined process, confine does.
	files []*os.File
}

// Withheld is a file or directory that rules hide.
type Withheld struct {
	// Why is the reason, in words.
	Why string `json:"why"`
	// Device and Inode identify what the path led to. A process for which it leads elsewhere is not confined.
	Device uint64 `json:"device"`
	Inode  uint64 `json:"inode"`
	// Placed is set if the file is hidden because of the directory that it is in, so that no directory above it may be renamed.
	Placed bool `json:"placed,omitempty"`
}

// Files returns what the paths of Pinned led to, in the same order. The process that the policy is for must get them; see Receive.
func (o Opening) Files() []*os.File { return o.files }

// Receive sets the files of a policy in the process that the policy is for. The process got them as descriptors from first on.
func (o *Opening) Receive(first int) {
	o.files = nil
	for i, path := range o.Pinned {
		o.files = append(o.files, os.NewFile(uintptr(first+i), path))
	}
}

// Link is a symbolic link. The directory of Path contains no links; Target is what the link holds.
type Link struct {
	Path   string `json:"path"`
	Target string `json:"target"`
}

// Limits holds limits of resources; 0 means no limit.
type Limits struct {
	// MemoryBytes is how much memory each process may allocate, in bytes.
	MemoryBytes int64 `json:"memory,omitempty"`
	// Processes is how many processes and threads may exist at a time. It needs a process namespace.
	Processes int `json:"processes,omitempty"`
}

// Isolation is what the parent could set up when it started the process; see process.Isolation.
type Isolation struct {
	// Processes is true if the process is the first one of a process namespace.
	Processes bool `json:"processes"`
	// Mounts is true if the process has its own mount namespace and may still change it.
	Mounts bool `json:"mounts"`
}

// Report says what Confine enforces.
type Report struct {
	// Confined is true if the policy is enforced, except for what Uncovered lists.
	Confined bool `json:"confined"`
	// Landlock is the version of the kernel's interface that is used.
	Landlock int `json:"landlock"`
	// Mounts is true if a private mount namespace is used. Proc is true if it has a private /proc.
	Mounts bool `json:"mounts"`
	Proc   bool `json:"proc"`
	// Hidden is true if the process sees only what is granted: nothing else has a name for it.
	Hidden bool `json:"hidden"`
	// Layers is true if caches have private layers.
	Layers bool `json:"layers"`
	// Gated is true if the gate is the only way into the network.
	Gated bool `json:"gated,omitempty"`
	// Uncovered holds sentences, each about a part of the policy that could not be enforced.
	Uncovered []string `json:"uncovered"`
	// Missing holds sentences about protected paths that do not exist, and that are not protected if a program creates them.
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
