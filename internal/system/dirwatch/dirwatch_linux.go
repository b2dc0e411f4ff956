package dirwatch

import (
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"sync"
	"weak"

	"golang.org/x/sys/unix"
)

// Entries are the changes of a directory's entries. Nothing is reported about the content of files.
const Entries = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVE | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ATTRIB | unix.IN_ONLYDIR | unix.IN_DONT_FOLLOW

// Content adds the changes of the content of files.
const Content = Entries | unix.IN_MODIFY | unix.IN_CLOSE_WRITE

// Dir is what a Watch knows of a directory. It is embedded in what the caller remembers of the directory.
type Dir struct {
	// Watched is set while the kernel reports changes, and there was none since the directory was added. Dirty is set once there was one.
	Watched, Dirty bool
	// number is the kernel's for the directory, if it was ever watched.
	number int32
}

func (d *Dir) changed() { d.Watched, d.Dirty = false, true }

// Watch knows which directories changed. The kernel queues an event before the system call that changed something returns. If anything is
// unclear, every directory has changed.
type Watch struct {
	mask uint32
	// most is how many directories the kernel is asked about: the user's other programs share that number.
	most int
	dirs map[int32]*Dir

	// mu guards the rest, which another watch may take. The caller uses a Watch in one goroutine at a time.
	mu sync.Mutex
	// fd is -1 if the kernel reports nothing. lost is set if another watch has taken the descriptor.
	fd   int
	lost bool
	// file closes fd when nobody uses the watch any more.
	file *os.File
}

// instances is how many descriptors the watches of this process have at most: a user has 128 of them for all programs.
const instances = 16

// holders lists the watches with a descriptor, the one that was used last at the end.
var holders struct {
	sync.Mutex

	list []weak.Pointer[Watch]
}

// New returns a watch of at most so many directories. The mask is Entries or Content.
func New(mask uint32, most int) *Watch {
	w := &Watch{mask: mask, most: most}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open()
	return w
}

// open gets a descriptor, if need be from the watch that was not used for the longest time. The caller holds the lock.
func (w *Watch) open() {
	w.fd, w.file, w.lost, w.dirs = -1, nil, false, map[int32]*Dir{}
	w.use()
	if fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC); err == nil {
		w.fd, w.file = fd, os.NewFile(uintptr(fd), "inotify")
	}
}

// use makes the watch the one that was used last, and takes the descriptors of others if there are too many. The caller holds the lock.
func (w *Watch) use() {
	self := weak.Make(w)
	holders.Lock()
	defer holders.Unlock()
	holders.list = slices.DeleteFunc(holders.list, func(p weak.Pointer[Watch]) bool { return p == self || p.Value() == nil })
	more := len(holders.list) + 1 - instances
	holders.list = slices.DeleteFunc(holders.list, func(p weak.Pointer[Watch]) bool {
		other := p.Value()
		if more <= 0 || other == nil || !other.mu.TryLock() { // a watch that is locked is in use
			return false
		}
		defer other.mu.Unlock()
		more--
		other.lost = other.lost || other.file != nil
		other.release()
		return true
	})
	holders.list = append(holders.list, self)
}

// release gives the descriptor back. The caller holds the lock.
func (w *Watch) release() {
	_ = w.file.Close()
	w.fd, w.file = -1, nil
}

// Close ends the reports.
func (w *Watch) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.release()
	w.lost, w.dirs = false, map[int32]*Dir{}
}

// Restart begins anew: every directory has changed.
func (w *Watch) Restart() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.restart()
}

func (w *Watch) restart() {
	for _, d := range w.dirs {
		d.changed()
	}
	w.release()
	w.open()
}

// Len returns how many directories are watched.
func (w *Watch) Len() int { return len(w.dirs) }

// Add asks for the changes of a directory. It must be called before the directory is read. A directory beyond the limit is not watched.
func (w *Watch) Add(path string, d *Dir) {
	d.Watched = false
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fd < 0 || len(w.dirs) >= w.most && w.dirs[d.number] != d {
		return
	}
	id, err := unix.InotifyAddWatch(w.fd, path, w.mask)
	if err != nil {
		return // it is looked at every time
	}
	d.number = int32(id) //nolint:gosec // the kernel's numbers are 32 bits wide
	// A directory that was renamed has its number already, and is known by another name.
	if old := w.dirs[d.number]; old != nil && old != d {
		old.changed()
	}
	w.dirs[d.number], d.Watched = d, true
}

// Remove ends watching a directory that is no longer there.
func (w *Watch) Remove(d *Dir) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dirs[d.number] == d {
		delete(w.dirs, d.number)
		_, _ = unix.InotifyRmWatch(w.fd, uint32(d.number)) //nolint:gosec // the kernel's numbers are not negative
	}
}

// Update marks the directories that changed since the last call.
func (w *Watch) Update() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost {
		w.restart()
		return
	}
	if w.fd < 0 {
		return
	}
	w.use()
	buffer := make([]byte, 1<<14)
	for {
		size, err := unix.Read(w.fd, buffer)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return
		case err != nil || !w.mark(buffer[:size]):
			w.restart()
			return
		}
	}
}

// Pending reports whether there are changes that Update did not see.
func (w *Watch) Pending() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fd < 0 {
		return w.lost
	}
	ready, err := unix.Poll([]unix.PollFd{{Fd: int32(w.fd), Events: unix.POLLIN}}, 0) //nolint:gosec // descriptors are small
	return err == nil && ready > 0
}

// mark marks the directories that events are about. It returns false if events were lost.
func (w *Watch) mark(events []byte) bool {
	for len(events) >= unix.SizeofInotifyEvent {
		id, mask := int32(binary.NativeEndian.Uint32(events)), binary.NativeEndian.Uint32(events[4:]) //nolint:gosec // the number is signed
		size := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(events[12:]))
		if mask&unix.IN_Q_OVERFLOW != 0 || size > len(events) {
			return false
		}
		if d := w.dirs[id]; d != nil {
			d.changed()
		}
		if mask&unix.IN_IGNORED != 0 {
			delete(w.dirs, id)
		}
		events = events[size:]
	}
	return true
}
