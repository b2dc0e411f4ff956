package process

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// sweepRounds limits the search for descendants that start others while they are killed.
const sweepRounds = 100

// AdoptOrphans makes this process the parent of the orphans among its descendants, so that all of them can be found. It does
// nothing where that is unknown: every kernel since 3.4 can do it, but qemu-user cannot.
func AdoptOrphans() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("adopting orphans: %w", err)
	}
	return nil
}

// treeRounds limits the search of killTree, which takes a fraction of the time.
const treeRounds = 2000

// KillDescendants kills all descendants of a process. If that process adopts orphans, the children of a killed process become
// its own children, and the next round finds them.
func KillDescendants(pid int) {
	for range sweepRounds {
		killTree(pid)
		victims := descendants(pid)
		if len(victims) == 0 {
			return
		}
		for victim, parent := range victims {
			_ = signalChild(victim, parent, unix.SIGKILL)
		}
	}
}

// killTree kills the descendants that the kernel lists as such. It does not read all of /proc: a process that starts a successor and exits would be
// gone by then, and its successor's successor too.
func killTree(root int) {
	dead := map[int]bool{} // they stay in the list until their parent waits for them, which may be stopped
	for range treeRounds {
		if !killBelow(root, dead) {
			return
		}
	}
}

// killBelow kills the descendants of a process, the youngest first. It reports whether there were any since the last round.
func killBelow(parent int, dead map[int]bool) bool {
	found, listed := false, children(strconv.Itoa(parent))
	for _, pid := range slices.Backward(listed) {
		switch {
		case dead[pid]:
		case !statusOf(pid).alive():
			// It ended since the last round, and may have left a successor that the list does not have yet.
			dead[pid], found = true, true
		default:
			found = signalChild(pid, parent, unix.SIGKILL) == nil || found
			found = killBelow(pid, dead) || found
		}
	}
	return found
}

// errOther means that a number belongs to another process by now.
var errOther = errors.New("it is no child of that process")

// signalChild sends a signal to a process that was found as the child of another one. Since then the process may have ended, and the kernel
// may have given its number to a process that has nothing to do with aura.
func signalChild(pid, parent int, signal unix.Signal) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ENOSYS) {
		return unix.Kill(pid, signal) // an emulator, or Linux before 5.3
	}
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	// What is read now is about the process of the descriptor, or that process has ended.
	if statusOf(pid).parent != parent {
		return errOther
	}
	return unix.PidfdSendSignal(fd, signal, nil, 0)
}

// descendants returns the living descendants of a process, each with its parent.
func descendants(root int) map[int]int {
	below := make(map[int][]int)
	for _, pid := range all() {
		if s := statusOf(pid); s.alive() {
			below[s.parent] = append(below[s.parent], pid)
		}
	}
	out := map[int]int{}
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		for _, child := range below[queue[0]] {
			out[child] = queue[0]
		}
		queue = append(queue, below[queue[0]]...)
	}
	return out
}

// ownSweepRounds limits the search of KillChildren, which reaps the processes that it kills and finds only one generation at a
// time.
const ownSweepRounds = 1000

// KillChildren kills and reaps all descendants of this process. This process must have adopted orphans: the children of a
// killed process become its own children and are found next. KillChildren works in a confined process, which sees only its own
// entries of /proc.
func KillChildren() {
	// Before Landlock supported threads, only the thread that starts programs could signal them.
	_ = Fork(func() error {
		for range ownSweepRounds {
			found := children("self")
			if len(found) == 0 {
				return nil
			}
			for _, pid := range found {
				if errors.Is(unix.Kill(pid, unix.SIGKILL), unix.EPERM) {
					continue // another user's, such as sudo: waiting for it could take forever
				}
				// If another goroutine waits for the process, that wait reports that the process is gone.
				_, _ = unix.Wait4(pid, nil, 0, nil)
			}
		}
		return nil
	})
}

// SeizeDescendants kills those descendants of this process that have left its process group, and stops the others, because one
// of them may be about to leave the group. The stopped descendants end with the group. They are not killed here, because a
// goroutine that waits for one of them would continue.
func SeizeDescendants() {
	root := os.Getpid()
	for range sweepRounds {
		acted := false
		for _, pid := range tree(root) {
			s := statusOf(pid)
			switch {
			case !s.alive():
			case s.group != root:
				acted = signalChild(pid, s.parent, unix.SIGKILL) == nil || acted
			case !s.stopped():
				acted = signalChild(pid, s.parent, haltSignal(pid, root)) == nil || acted
			}
		}
		if !acted {
			return
		}
	}
}

// haltSignal returns the signal that halts a process of the group. A child that has not executed its program yet is killed:
// until the child does, the thread that forked it waits for it, and in the end all of this process waits for that thread. Until then the
// child also shares the memory of this process: if that keeps others from looking at it, the program of the child cannot be read.
func haltSignal(pid, root int) unix.Signal {
	program, err := os.Readlink(entry(pid, "exe"))
	own, ownErr := os.Readlink(entry(root, "exe"))
	if err != nil || ownErr == nil && program == own {
		return unix.SIGKILL
	}
	return unix.SIGSTOP
}

// tree lists the descendants of root, parents before their children. It reads only their entries, not all of /proc.
func tree(root int) []int {
	var out []int
	for next := []int{root}; len(next) > 0; {
		found := children(strconv.Itoa(next[0]))
		next = append(next[1:], found...)
		out = append(out, found...)
	}
	return out
}
