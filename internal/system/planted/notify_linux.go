package planted

import (
	"encoding/binary"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// maxWatched is how many directories the kernel is asked to report changes of. The user's other programs share that number; the directories
// beyond it are looked at every time.
const maxWatched = 1 << 12

// directoryChanges are the changes after which a directory must be read again. Nothing is said about the content of files.
const directoryChanges = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVE | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ATTRIB | unix.IN_ONLYDIR | unix.IN_DONT_FOLLOW

// notifier knows which directories changed, so that the others need not be looked at. The kernel queues an event before the system call that
// changed something returns. If anything is unclear, every directory has changed.
type notifier struct {
	// fd is -1 if the kernel reports nothing.
	fd int
	// file closes fd when nobody uses the notifier any more: each change of the settings makes a new one, and a user has few of them.
	file    *os.File
	folders map[int32]*folder
}

func newNotifier() *notifier {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return &notifier{fd: -1, folders: map[int32]*folder{}}
	}
	return &notifier{fd: fd, file: os.NewFile(uintptr(fd), "inotify"), folders: map[int32]*folder{}}
}

// watch asks for the changes of a directory. It must be called before the directory is read.
func (n *notifier) watch(at *folder) {
	at.watched = false
	if n.fd < 0 || len(n.folders) >= maxWatched {
		return
	}
	id, err := unix.InotifyAddWatch(n.fd, at.path, directoryChanges)
	if err != nil {
		return // it is looked at every time
	}
	at.number = int32(id) //nolint:gosec // the kernel's numbers are 32 bits wide
	// A directory that was renamed has its number already, and is known by another name.
	if old := n.folders[at.number]; old != nil {
		old.watched = false
	}
	n.folders[at.number], at.watched = at, true
}

// forget ends watching a directory that is no longer in the tree, and all below it.
func (n *notifier) forget(at *folder) {
	if n.folders[at.number] == at {
		delete(n.folders, at.number)
		_, _ = unix.InotifyRmWatch(n.fd, uint32(at.number)) //nolint:gosec // the kernel's numbers are not negative
	}
	for _, sub := range at.subs {
		n.forget(sub)
	}
}

// update marks the directories that changed since the last call.
func (n *notifier) update() {
	if n.fd < 0 {
		return
	}
	buffer := make([]byte, 1<<14)
	for {
		size, err := unix.Read(n.fd, buffer)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return
		case err != nil || !n.mark(buffer[:size]):
			n.restart()
			return
		}
	}
}

// mark marks the directories that events are about. It returns false if events were lost.
func (n *notifier) mark(events []byte) bool {
	for len(events) >= unix.SizeofInotifyEvent {
		id, mask := int32(binary.NativeEndian.Uint32(events)), binary.NativeEndian.Uint32(events[4:]) //nolint:gosec // the number is signed
		size := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(events[12:]))
		if mask&unix.IN_Q_OVERFLOW != 0 || size > len(events) {
			return false
		}
		if at := n.folders[id]; at != nil {
			at.watched = false
		}
		if mask&unix.IN_IGNORED != 0 {
			delete(n.folders, id)
		}
		events = events[size:]
	}
	return true
}

// restart forgets everything: every directory has changed.
func (n *notifier) restart() {
	for _, at := range n.folders {
		at.watched = false
	}
	_ = n.file.Close()
	*n = *newNotifier()
}
