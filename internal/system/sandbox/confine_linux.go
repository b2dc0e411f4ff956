package sandbox

import (
	"fmt"
	"os"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/process"
)

// Confine applies the policy to this process, to all its threads and to all processes that it will start. It cannot be undone.
// It closes the files that the process got with the policy. Either the report says what is enforced, or Confine returns an error.
// After an error the process must end, because it is confined only in part.
//
// The order of the steps matters: mounts need privileges, Landlock opens the paths that it grants, and the filter refuses
// system calls that the other steps use.
func Confine(p Policy, in Isolation) (Report, error) { return confine(p, in, ll.AllThreadsPrctl) }

// confine does the work of Confine for a process that starts programs on some threads only: bound makes a call on those
// threads.
func confine(p Policy, in Isolation, bound prctl) (Report, error) {
	var r Report
	if s := Support(); !s.Enabled {
		return r, fmt.Errorf("confining: %w: %s", ErrUnsupported, s.Reason())
	}
	if !p.Opened {
		// The parent process opened nothing, so the paths are opened as they are now.
		var own Grants
		defer own.Close()
		p = own.Open(p)
	}
	c := &confinement{Policy: p}
	defer func() { closeFiles(c.files) }()
	if err := c.identifyFiles(); err != nil {
		return r, fmt.Errorf("confining: %w", err)
	}
	for _, sentence := range c.Uncovered {
		r.lacks(sentence)
	}
	if err := c.startedIn(); err != nil {
		return r, fmt.Errorf("confining: %w", err)
	}
	c.hold(&r)
	for _, path := range c.Exposed {
		r.lacks(path + " cannot stay read-only, because the working directory is inside of it")
	}
	if err := arrangeMounts(c, in, &r); err != nil {
		return r, fmt.Errorf("confining: %w", err)
	}
	if err := c.reenter(&r); err != nil {
		return r, fmt.Errorf("confining: %w", err)
	}
	if err := checkThreads(); err != nil {
		return r, fmt.Errorf("confining: %w", err)
	}
	c.gateNetwork(in, &r)
	if err := limit(c.Limits, in, &r); err != nil {
		return r, fmt.Errorf("confining: %w", err)
	}
	if err := restrictFiles(c, in, &r); err != nil {
		return r, fmt.Errorf("confining: %w", err)
	}
	if err := dropCapabilities(c.Policy, bound); err != nil {
		return r, fmt.Errorf("confining: %w", err)
	}
	if err := filterCalls(c.Policy, callsWithout(c.Policy, in, &r)); err != nil {
		return r, fmt.Errorf("confining: %w", err)
	}
	r.Confined = true
	return r, nil
}

// limit sets the limits of memory and processes. It must run while /proc is still writable.
func limit(l Limits, in Isolation, r *Report) error {
	if err := process.ForbidCoreFiles(); err != nil {
		return fmt.Errorf("forbidding core files: %w", err)
	}
	if l.MemoryBytes > 0 {
		if err := process.LimitMemory(uint64(l.MemoryBytes)); err != nil {
			return fmt.Errorf("limiting memory: %w", err)
		}
	}
	if l.Processes <= 0 {
		return nil
	}
	bounded := limitPids(l.Processes, in, r)
	// Without a namespace, the user's other processes would use up the limit.
	if in.Processes && os.Geteuid() != 0 {
		if err := process.LimitProcesses(uint64(l.Processes)); err != nil {
			return fmt.Errorf("limiting processes: %w", err)
		}
		bounded = true
	}
	if !bounded {
		r.lacks(unlimitedProcesses)
	}
	return nil
}

// minPids is the lowest limit that the kernel accepts for a process namespace.
const minPids = 301

// limitPids limits the number of processes in the process namespace, and reports whether it did. Before Linux 6.14 the same
// file applied to the whole machine, so limitPids does not write to it there.
func limitPids(n int, in Isolation, r *Report) bool {
	if !in.Processes || !r.Proc || !kernelAtLeast(6, 14) {
		return false
	}
	return os.WriteFile("/proc/sys/kernel/pid_max", fmt.Appendf(nil, "%d\n", max(n, minPids)), 0) == nil
}

func kernelAtLeast(major, minor int) bool {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return false
	}
	var a, b int
	if _, err := fmt.Sscanf(unix.ByteSliceToString(name.Release[:]), "%d.%d", &a, &b); err != nil {
		return false
	}
	return a > major || a == major && b >= minor
}
