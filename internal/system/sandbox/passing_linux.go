package sandbox

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// maxPassed is how many descriptors one message may carry. The kernel allows a few more.
const maxPassed = 250

// connection returns the two ends of a connection that carries descriptors.
func connection() (theirs, ours *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	if err = unix.SetNonblock(fds[1], true); err != nil {
		_, _ = unix.Close(fds[0]), unix.Close(fds[1])
		return nil, nil, fmt.Errorf("setting up a connection: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "standard input"), os.NewFile(uintptr(fds[1]), "call"), nil
}

// socketPair returns a connection on which only ours can send.
func socketPair() (theirs, ours *os.File, err error) {
	theirs, ours, err = connection()
	if err != nil {
		return nil, nil, err
	}
	// Nothing is ever read on our side, so the other side must not fill it.
	var failed error
	conn, err := ours.SyscallConn()
	if err == nil {
		err = conn.Control(func(fd uintptr) { failed = unix.Shutdown(int(fd), unix.SHUT_RD) })
	}
	if err = errors.Join(err, failed); err != nil {
		_, _ = theirs.Close(), ours.Close()
		return nil, nil, fmt.Errorf("setting up a connection: %w", err)
	}
	return theirs, ours, nil
}

// sendFiles sends descriptors in messages of one byte. The byte is 1 if another message follows, and 0 in the last one.
func sendFiles(to *os.File, files []*os.File) error {
	for {
		part := files[:min(len(files), maxPassed)]
		files = files[len(part):]
		fds := make([]int, 0, len(part))
		for _, f := range part {
			fds = append(fds, int(f.Fd()))
		}
		last := len(files) == 0
		if err := sendMessage(to, last, fds); err != nil || last {
			return err
		}
	}
}

// unreadWait is how long sendMessage waits before it tries again. The kernel does not say when a process has read its descriptors.
const unreadWait = time.Millisecond

// unreadTries is how often sendMessage tries. A process that is being started reads its descriptors within milliseconds.
const unreadTries = 1000

func sendMessage(to *os.File, last bool, fds []int) error {
	text := []byte{1}
	if last {
		text[0] = 0
	}
	var rights []byte
	if len(fds) > 0 {
		rights = unix.UnixRights(fds...)
	}
	conn, err := to.SyscallConn()
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		var sent error
		err = conn.Write(func(fd uintptr) bool {
			sent = unix.Sendmsg(int(fd), text, rights, nil, unix.MSG_NOSIGNAL)
			return !errors.Is(sent, unix.EAGAIN) && !errors.Is(sent, unix.EINTR)
		})
		// A user may have as many unread descriptors as open files. Other calls have sent theirs, and their processes are about to read them.
		if err != nil || !errors.Is(sent, unix.ETOOMANYREFS) || try == unreadTries {
			return errors.Join(err, os.NewSyscallError("sendmsg", sent))
		}
		time.Sleep(unreadWait)
	}
}

// receiveFiles receives what sendFiles has sent. The caller must close the files.
func receiveFiles(from int) (files []*os.File, err error) {
	defer func() {
		if err != nil {
			closeFiles(files)
		}
	}()
	text, rights := make([]byte, 1), make([]byte, unix.CmsgSpace(maxPassed*4))
	for {
		n, size, flags, _, err := unix.Recvmsg(from, text, rights, unix.MSG_CMSG_CLOEXEC)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return files, os.NewSyscallError("recvmsg", err)
		}
		got, err := parseRights(rights[:size])
		files = append(files, got...)
		switch {
		case err != nil:
			return files, err
		case n == 0:
			return files, errors.New("the connection was closed")
		case flags&unix.MSG_CTRUNC != 0:
			return files, errors.New("too few files may be open; raise the limit on open files (ulimit -n)")
		case text[0] == 0:
			return files, nil
		}
	}
}

func parseRights(control []byte) ([]*os.File, error) {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return nil, fmt.Errorf("reading descriptors: %w", err)
	}
	var files []*os.File
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			return files, fmt.Errorf("reading descriptors: %w", err)
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "granted"))
		}
	}
	return files, nil
}
