package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/netgate"
	"github.com/idelchi/aura/internal/system/network"
)

const (
	// endingTime is how long the gate may take to report what it has seen when a process has ended.
	endingTime = 2 * time.Second
	// maxLine is the largest message of the gate, in bytes. A host has at most 255.
	maxLine = 16 << 10
)

// orders are the first message to the gate for a namespace: its rules, and how many gates have served it before.
type orders struct {
	Rules network.Rules `json:"rules"`
	Gates int           `json:"gates"`
}

// fromGate is a message of the gate: an event, or a question with a number.
type fromGate struct {
	Event *netgate.Event    `json:"event,omitempty"`
	Ask   *netgate.Question `json:"ask,omitempty"`
	ID    int               `json:"id,omitempty"`
}

// toGate answers the question with a number. It follows the orders.
type toGate struct {
	netgate.Answer

	ID int `json:"id"`
}

// talk is the connection of a visit to a process of the gate. It reads messages when they come and, at drain, what is there at once.
type talk struct {
	visit *Visit
	file  *os.File
	raw   syscall.RawConn
	// ctx ends with the connection. silent is closed when the gate has ended it.
	ctx    context.Context //nolint:containedctx // a talk is one operation: the connection
	cancel context.CancelFunc
	silent chan struct{}

	// reading protects rest, the beginning of a message.
	reading sync.Mutex
	rest    []byte
	// writing protects what is written to file.
	writing sync.Mutex
}

func newTalk(v *Visit, file *os.File) *talk {
	t := &talk{visit: v, file: file, silent: make(chan struct{})}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	var err error
	if t.raw, err = file.SyscallConn(); err != nil {
		t.cancel()
		close(t.silent)
		return t
	}
	go func() {
		defer close(t.silent)
		defer t.cancel()
		// An error means that the connection was closed here.
		_ = t.raw.Read(func(fd uintptr) bool { return t.read(int(fd)) })
	}()
	return t
}

// drain handles the messages that have come.
func (t *talk) drain() {
	if t.raw != nil {
		_ = t.raw.Control(func(fd uintptr) { t.read(int(fd)) })
	}
}

// read handles what there is to read. It reports whether the connection has ended.
func (t *talk) read(fd int) (ended bool) {
	t.reading.Lock()
	defer t.reading.Unlock()
	buffer := make([]byte, maxLine)
	for {
		n, _, err := unix.Recvfrom(fd, buffer, unix.MSG_DONTWAIT)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return false
		case err != nil || n == 0:
			return true
		}
		t.rest = append(t.rest, buffer[:n]...)
		for {
			line, rest, ok := bytes.Cut(t.rest, []byte("\n"))
			if !ok {
				break
			}
			t.rest = rest
			if !t.handle(line) {
				return true
			}
		}
		if len(t.rest) > maxLine {
			return true
		}
	}
}

// handle handles a message. It returns false if that is not one of the gate.
func (t *talk) handle(line []byte) bool {
	var m fromGate
	if json.Unmarshal(line, &m) != nil {
		return false
	}
	if m.Event != nil {
		t.visit.user().add(*m.Event)
	}
	if m.Ask != nil {
		of := t.visit.user()
		go func() { t.answer(m.ID, of.decide(t.ctx, t.visit.rules, *m.Ask)) }()
	}
	return true
}

// answer sends an answer. A gate that does not read it is about to end.
func (t *talk) answer(id int, a netgate.Answer) {
	t.writing.Lock()
	defer t.writing.Unlock()
	_ = t.file.SetWriteDeadline(time.Now().Add(reportTime))
	_ = json.NewEncoder(t.file).Encode(toGate{Answer: a, ID: id})
}

// end ends the connection after the gate has reported what it saw. It works on nil.
func (t *talk) end() {
	if t == nil {
		return
	}
	_ = shutdownWrite(t.file)
	select {
	case <-t.silent:
	case <-time.After(endingTime):
	}
	t.drop()
}

// drop closes the connection and withdraws its questions.
func (t *talk) drop() {
	t.cancel()
	_ = t.file.Close()
}
