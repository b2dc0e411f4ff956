package sandbox

import (
	"fmt"
	"slices"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// The versions of Landlock's interface that introduced the features used here.
const (
	abiRefer    = 2
	abiTruncate = 3
	abiScope    = 6
	abiThreads  = 8
)

// signalErratum is the bit by which the kernel reports that its scoping of signals handles threads correctly.
const signalErratum = 0x2

// The bits that keep a process from connecting to the abstract sockets of other processes, and from signalling other processes.
const (
	scopeAbstractSockets = 1 << iota
	scopeSignals
)

// landlockABI returns the version that the kernel offers; 0 if it offers none. If the kernel's scoping of signals is broken,
// landlockABI returns the last version without scoping.
func landlockABI() int {
	v, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	if v >= abiScope {
		if errata, err := ll.LandlockGetErrata(); err != nil || errata&signalErratum == 0 {
			return abiScope - 1
		}
	}
	return v
}

// landlockConfig returns a configuration that restricts everything that the given version can restrict.
func landlockConfig(abi int) landlock.Config {
	known := []landlock.Config{
		landlock.V1, landlock.V2, landlock.V3, landlock.V4, landlock.V5, landlock.V6, landlock.V7, landlock.V8, landlock.V9,
		landlock.V10, landlock.V11,
	}
	return known[min(abi, len(known))-1]
}

// restrictFiles enforces Landlock on all threads.
func restrictFiles(p *confinement, in Isolation, r *Report) error {
	r.Landlock = landlockABI()
	config := landlockConfig(r.Landlock)
	if p.Network {
		config.HandledAccessNet = 0
	}
	if p.UnixSockets {
		config.HandledAccessFS &^= ll.AccessFSResolveUnix
		config.Scoped &^= scopeAbstractSockets
	}
	if in.Processes && r.Landlock < abiThreads {
		// Before that version every thread gets its own domain, and programs started by two threads could not signal each
		// other. In a process namespace, other processes cannot be signalled anyway, because they have no process number there.
		config.Scoped &^= scopeSignals
	}
	if r.Landlock < abiTruncate {
		r.lacks("files that can be read can be truncated: that needs Linux 6.2")
	}
	if r.Landlock < abiScope && !in.Processes {
		r.lacks("signals to other processes are not refused: that needs Linux 6.12 or a PID namespace")
	}
	if err := config.Restrict(fileRules(p, r)...); err != nil {
		return fmt.Errorf("restricting files: %w", err)
	}
	if err := restrictPrograms(p.Policy); err != nil {
		return fmt.Errorf("restricting programs: %w", err)
	}
	// Landlock's package sets no_new_privs on all threads first. All other steps rely on it.
	if set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err != nil || set != 1 {
		return fmt.Errorf("forgoing new privileges: they are still to be had (%d, %w)", set, err)
	}
	return nil
}

// restrictPrograms adds a second layer that permits to start a single program. What a layer permits, the others must permit too.
func restrictPrograms(p Policy) error {
	if p.Exec || p.Program == "" {
		return nil
	}
	config := landlock.Config{HandledAccessFS: ll.AccessFSExecute}
	return config.Restrict(landlock.PathAccess(ll.AccessFSExecute, p.Program))
}

// fileRules returns the grants as Landlock rules. The rules name what confined code could replace by the descriptors that aura
// passed, not by paths.
func fileRules(p *confinement, r *Report) []landlock.Rule {
	var rules []landlock.Rule
	named := func(path string) (string, kind) {
		if pin, ok := p.pins[path]; ok {
			return descriptorPath(pin.fd), pin.kind
		}
		return path, p.kindOf(path)
	}
	for _, path := range slices.Concat(p.ReadOnly, p.Own) {
		switch name, kind := named(path); kind {
		case kindDir:
			rules = append(rules, landlock.RODirs(name))
		case kindFile:
			rules = append(rules, landlock.ROFiles(name))
		case kindNone:
		}
	}
	for _, path := range p.ReadWrite {
		switch name, kind := named(path); kind {
		case kindDir:
			rule := landlock.RWDirs(name)
			if r.Landlock >= abiRefer {
				rule = rule.WithRefer()
			}
			rules = append(rules, rule)
		case kindFile:
			rules = append(rules, landlock.RWFiles(name))
		case kindNone:
		}
	}
	return append(rules, landlock.RWFiles(devices...).IgnoreIfMissing(), ownProc(r))
}

// ownProc returns the rule for /proc. Without a private /proc, a process sees only its own entries, and the processes that it
// starts see none.
func ownProc(r *Report) landlock.Rule {
	if r.Proc {
		return landlock.RODirs("/proc")
	}
	return landlock.RODirs("/proc/self").IgnoreIfMissing()
}
