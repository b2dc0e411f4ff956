package sandbox

import (
	"fmt"
	"os"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// Confine applies the policy to this process, all its threads and all it will start. It cannot be undone. It establishes that
// either the report says what holds, or an error is returned and the process must end, because it is confined in part.
//
// The order matters: mounts need privileges, Landlock opens the paths it grants, and the filter refuses what the other steps
// use.
func Confine(p Policy, in Isolation) (Report, error) { return confine(p, in, ll.AllThreadsPrctl) }

// confine is Confine for a process that starts programs on some threads only: bound makes a call on these.
func confine(p Policy, in Isolation, bound prctl) (Report, error) {
	var r Report
	if s := Support(); !s.Enabled {
		return r, fmt.Errorf("confining: %w: %s", ErrUnsupported, s.Reason())
	}
	if !p.Opened {
		// Whoever started the process opened nothing, so all is as it is found now.
		var own Grants
		defer own.Close()
		p = own.Open(p)
	}
	for _, sentence := range p.Uncovered {
		r.lacks(sentence)
	}
	if err := p.startedIn(); err != nil {
		return r, fmt.Errorf("confining: %w", err)
	}
	p.hold(&r)
	for _, path := range p.Exposed {
		r.lacks(path + " cannot stay read-only, because the working directory is inside of it")
	}
	if err := arrangeMounts(&p, in, &r); err != nil {
		return r, fmt.Errorf("confining: %w", err)
	}
	if err := p.reenter(); err != nil {
		return r, fmt.Errorf("confining: %w", err)
	}
	if err := checkThreads(); err != nil {
		return r, fmt.Errorf("confining: %w", err)
	}
	if err := limit(p.Limits, in, &r); err != nil {
		return r, fmt.Errorf("confining: %w", err)
	}
	if err := restrictFiles(p, in, &r); err != nil {
		return r, fmt.Errorf("confining: %w", err)
	}
	if err := dropCapabilities(p, bound); err != nil {
		return r, fmt.Errorf("confining: %w", err)
	}
	if err := filterCalls(p); err != nil {
		return r, fmt.Errorf("confining: %w", err)
	}
	r.Confined = true
	return r, nil
}

// limit sets the bounds of memory and processes. It runs while /proc can still be written.
func limit(l Limits, in Isolation, r *Report) error {
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("forbidding core files: %w", err)
	}
	if l.MemoryBytes > 0 {
		if err := lower(unix.RLIMIT_DATA, uint64(l.MemoryBytes)); err != nil {
			return fmt.Errorf("limiting memory: %w", err)
		}
	}
	if l.Processes <= 0 {
		return nil
	}
	bounded := limitPids(l.Processes, in, r)
	// The kernel counts the processes of a user namespace apart from the user's other ones, and none of root's. Without a
	// namespace the user's own processes would use up the bound.
	if in.Processes && os.Geteuid() != 0 {
		if err := lower(unix.RLIMIT_NPROC, uint64(l.Processes)); err != nil {
			return fmt.Errorf("limiting processes: %w", err)
		}
		bounded = true
	}
	if !bounded {
		r.lacks(unlimitedProcesses)
	}
	return nil
}

// lower sets a limit of this process and all it starts, unless there is a lower one.
func lower(resource int, value uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return err
	}
	value = min(value, now.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value})
}

// minPids is the lowest bound that the kernel accepts for a process namespace.
const minPids = 301

// limitPids bounds the process namespace as a whole. Before Linux 6.14 the same file was the whole machine's, so it is left
// alone there.
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
