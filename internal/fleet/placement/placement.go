package placement

import (
	"slices"
	"strconv"
	"time"
)

// Name is the name of the workers in all specifications, and of the objects from which they get their variables.
const Name = "aura-worker"

// User is the number of the user and of the group in the image.
const User = 65532

// Home is the home directory of the user in the image. Tasks can write to a part of it, so the configuration is elsewhere.
const Home = "/home/aura"

// Workdir is the working directory of the image. People mount a project there; a worker leaves it empty.
const Workdir = "/work"

// Configuration is the directory with the configuration of the workers, in the image and on machines with systemd.
const Configuration = "/etc/aura"

// Grace is the time that a worker has after the request to end. The worker uses it to finish its tasks or to hand them back.
const Grace = 2 * time.Minute

// Bounds of the numbers in Options. Larger numbers are mistakes.
const (
	MaxReplicas = 10_000
	MaxSlots    = 256
)

// Options describes the workers.
type Options struct {
	// Replicas is the number of workers. Slots is the number of tasks that one worker runs at a time.
	Replicas, Slots int
	// Image is the container image. systemd does not use it.
	Image string
	// Server is the address of the queue. It is empty if the workers find the address elsewhere.
	Server string
	// Pins are the keys that the server may have. Plaintext permits a server that proves nothing.
	Pins      []string
	Plaintext bool
	// AllowTrusted makes workers that run tasks which trust their workspaces.
	AllowTrusted bool
	// Secrets and Env are names of variables. The specification refers to their values by these names.
	Secrets, Env []string
	// Namespace is the namespace of Kubernetes or Nomad. Empty means the default of whoever applies the specification.
	Namespace string
	// Job makes workers that end when the queue is empty.
	Job bool
	// Restricted makes workers that a cluster with strict rules accepts. Their sandbox has no mount and process namespaces.
	Restricted bool
}

// Kind is a kind of specification.
type Kind struct {
	// Name is the word on the command line. Title is the name of the scheduler.
	Name, Title string
	// Write returns the specification.
	Write func(Options) ([]byte, error)
	// uses says which options the scheduler knows.
	uses uses
}

type uses struct{ image, namespace, job, restricted bool }

// Kinds returns all kinds of specifications.
func Kinds() []Kind {
	return []Kind{
		{"kubernetes", "Kubernetes", Kubernetes, uses{image: true, namespace: true, job: true, restricted: true}},
		{"nomad", "Nomad", Nomad, uses{image: true, namespace: true, job: true, restricted: true}},
		{"systemd", "systemd", Systemd, uses{}},
		{"compose", "Docker Compose", Compose, uses{image: true, restricted: true}},
	}
}

// args returns the arguments of aura.
func (o Options) args() []string {
	args := []string{"fleet", "work", "--slots", strconv.Itoa(o.Slots)}
	if o.Server != "" {
		args = append(args, "--server", o.Server)
	}
	for _, pin := range o.Pins {
		args = append(args, "--pin", pin)
	}
	if o.Plaintext {
		args = append(args, "--insecure-plaintext")
	}
	if o.AllowTrusted {
		args = append(args, "--allow-trusted")
	}
	if o.Job {
		args = append(args, "--until-empty")
	}
	return args
}

// Commands returns the command lines of aura in a specification, without the program.
func (o Options) Commands() [][]string { return [][]string{probe()[1:], o.args()} }

// probe is the command line that fails on a machine that cannot confine tools and plugins.
func probe() []string { return []string{"aura", "sandbox", "status"} }

// What a worker needs: a base, and a part for each slot. The part is for a child of aura, its plugins and what its tools start.
const (
	baseMemory, slotMemory   = 512, 1024 // MiB, as a limit
	baseRequest, slotRequest = 256, 256  // MiB, reserved
	slotProcessor            = 1000      // thousandths of a processor, as a limit
	slotShare                = 250       // thousandths of a processor, reserved
	baseDisk, slotDisk       = 1024, 4096
	baseProcesses            = 512
	slotProcesses            = 1024
)

func (o Options) memory() int    { return baseMemory + o.Slots*slotMemory }
func (o Options) request() int   { return baseRequest + o.Slots*slotRequest }
func (o Options) processor() int { return o.Slots * slotProcessor }
func (o Options) share() int     { return o.Slots * slotShare }
func (o Options) disk() int      { return baseDisk + o.Slots*slotDisk }
func (o Options) processes() int { return baseProcesses + o.Slots*slotProcesses }

// temporary is the directory for temporary files. A worker writes there and to its home directory; all other files of its image are
// read-only.
const temporary = "/tmp"

// variables returns the names of all variables that are given by reference.
func (o Options) variables() []string { return slices.Concat(o.Secrets, o.Env) }
