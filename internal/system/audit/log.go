package audit

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/base/redact"
)

// The destinations of a log, as the policy of the machine names them.
const (
	ToFile   = "file"
	ToSyslog = "syslog"
	ToOTLP   = "otlp"
)

const (
	// MaxWaiting is how many lines wait while the destination fails. Further ones are lost, and counted.
	MaxWaiting = 10_000
	// maxBatch is how many lines are written at once.
	maxBatch = 200
	// writeTime is how long the destination may take to write lines. closeTime is how long the end of the process waits for it.
	writeTime = 5 * time.Second
	closeTime = 2 * time.Second
)

// Options describe a log.
type Options struct {
	// To is the kind of the destination, and Address its absolute path or URL; syslog needs none.
	To, Address string
	// Stop is called once if a line could not be written, before Record returns. A nil Stop lets lines wait in memory.
	Stop func(error)
	// Policy is the hash of the policy of the machine.
	Policy string
	// Secrets returns what no line may contain; nil if there is nothing.
	Secrets *redact.Redactor
}

// sink is a destination.
type sink interface {
	// write writes lines in order, and returns how many of them are written for certain.
	write(ctx context.Context, lines [][]byte) (int, error)
}

// Log writes lines to a destination. A nil Log writes nothing.
type Log struct {
	to      sink
	path    string
	stop    func(error)
	secrets *redact.Redactor
	// about is what all lines have in common.
	about Line
	// limits of this log, which tests lower.
	max       int
	writeTime time.Duration

	wake, closing, ended chan struct{}

	mu sync.Mutex
	// seq is the number of the last line. waiting are the newest ones, which are not written yet; their last one has the number seq, unless
	// lines were lost.
	seq     uint64
	waiting []numbered
	// lost counts the lines that did not fit since the last one that did.
	lost uint64
	// failure is why the newest attempt failed. failed is set once Stop was called.
	failure error
	failed  bool
	// written is closed and replaced after each attempt.
	written chan struct{}
}

// numbered is an encoded line.
type numbered struct {
	seq  uint64
	text []byte
}

// Open begins a log. The caller must close it. A destination that cannot be written to is an error only if nothing may go on without it.
func Open(o Options) (*Log, error) {
	to, path, err := open(o.To, o.Address)
	if err != nil {
		return nil, fmt.Errorf("opening the audit log: %w", err)
	}
	l := newLog(o, to)
	l.path = path
	if o.Stop != nil {
		ctx, cancel := context.WithTimeout(context.Background(), writeTime)
		defer cancel()
		if _, err = to.write(ctx, nil); err != nil {
			err = fmt.Errorf("opening the audit log: %w; the policy of this machine permits nothing without it", err)
		}
	}
	if err != nil {
		return nil, err
	}
	go l.run()
	return l, nil
}

func open(to, address string) (sink, string, error) {
	switch to {
	case ToFile:
		f := &file{path: expand(address)}
		return f, f.path, f.check()
	case ToSyslog:
		return newSyslog(), "", nil
	case ToOTLP:
		c, err := newCollector(address)
		return c, "", err
	default:
		return nil, "", fmt.Errorf("there is no destination %q", to)
	}
}

func newLog(o Options, to sink) *Log {
	l := &Log{
		to: to, stop: o.Stop, secrets: o.Secrets, max: MaxWaiting, writeTime: writeTime, about: Line{Process: os.Getpid(), Policy: o.Policy},
		wake: make(chan struct{}, 1), closing: make(chan struct{}), ended: make(chan struct{}), written: make(chan struct{}),
	}
	name := make([]byte, 8)
	_, _ = rand.Read(name) // never fails
	l.about.Run = hex.EncodeToString(name)
	l.about.UID, l.about.User = who()
	l.about.Host, _ = os.Hostname() // empty if the system has none
	return l
}

// who returns the user of the process. The environment does not count: it may name anybody.
func who() (uid, name string) {
	if n := os.Getuid(); n >= 0 {
		uid = strconv.Itoa(n)
		if u, err := user.LookupId(uid); err == nil {
			name = u.Username
		}
		return uid, name
	}
	if u, err := user.Current(); err == nil { // Windows has no numbers, and asks the token of the process
		return u.Uid, u.Username
	}
	return "", ""
}

// Record adds a line. If nothing may go on without the log, it waits until the line is written, for a limited time. After an error, what the
// fact reports must not happen.
func (l *Log) Record(f Fact) error {
	if l == nil {
		return nil
	}
	seq := l.add(f.bounded(l.secrets.String))
	select {
	case l.wake <- struct{}{}:
	default:
	}
	if l.stop == nil {
		return nil
	}
	return l.await(seq)
}

// add puts a line into the queue and returns its number.
func (l *Log) add(f Fact) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) >= l.max {
		l.seq++
		l.lost++
		return l.seq
	}
	if l.lost > 0 {
		l.push(Fact{Kind: Lost, Text: fmt.Sprintf("%d lines before this one were lost: %v", l.lost, l.failure)}.bounded(l.secrets.String))
		l.lost = 0
	}
	l.push(f)
	return l.seq
}

// push encodes a line. The caller holds the lock.
func (l *Log) push(f Fact) {
	l.seq++
	line := l.about
	line.At, line.Seq, line.Fact = time.Now().UTC(), l.seq, f
	text, err := line.encode()
	if err != nil { // a line has only texts, numbers and a time of this century
		l.lost, l.failure = l.lost+1, err
		return
	}
	l.waiting = append(l.waiting, numbered{l.seq, text})
}

// await waits until a line is written. If it cannot be, await returns an error, and calls stop for the first one.
func (l *Log) await(seq uint64) error {
	late := time.NewTimer(l.writeTime)
	defer late.Stop()
	var expired error
	for {
		l.mu.Lock()
		done, failed, failure, written := len(l.waiting) == 0 || l.waiting[0].seq > seq, l.failed, cmp.Or(l.failure, expired), l.written
		if !done && failure != nil {
			l.failed = true
		}
		l.mu.Unlock()
		switch {
		case done:
			return nil
		case failed:
			return &StoppedError{errors.New("it failed before")}
		case failure != nil:
			err := &StoppedError{failure}
			l.stop(err)
			return err
		}
		select {
		case <-written:
		case <-late.C:
			expired = fmt.Errorf("the destination did not take a line within %s", l.writeTime)
		}
	}
}

// StoppedError is why a process stops: the policy of the machine permits nothing that is not recorded.
type StoppedError struct{ Err error }

func (e *StoppedError) Error() string {
	return fmt.Sprintf("writing the audit log: %v; the policy of this machine permits nothing without it, so aura stops", e.Err)
}

// Unwrap returns the fault of the destination.
func (e *StoppedError) Unwrap() error { return e.Err }

// run writes what waits, until the log is closed. After a failure, it tries again with the next line, and at the end.
func (l *Log) run() {
	defer close(l.ended)
	for {
		select {
		case <-l.wake:
			l.flush()
		case <-l.closing:
			l.flush()
			return
		}
	}
}

// flush writes what waits, until nothing does or an attempt fails.
func (l *Log) flush() {
	for {
		l.mu.Lock()
		batch := make([][]byte, 0, min(len(l.waiting), maxBatch))
		for _, line := range l.waiting[:min(len(l.waiting), maxBatch)] {
			batch = append(batch, line.text)
		}
		l.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), l.writeTime)
		n, err := l.to.write(ctx, batch)
		cancel()
		l.mu.Lock()
		l.waiting = l.waiting[n:]
		if len(l.waiting) == 0 {
			l.waiting = nil // the array is as long as the longest failure
		}
		l.failure = err
		close(l.written)
		l.written = make(chan struct{})
		l.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Close writes what waits, for a limited time. The error says what was lost.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	close(l.closing)
	late := time.NewTimer(closeTime)
	defer late.Stop()
	select {
	case <-l.ended:
	case <-late.C:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	lost := l.lost + uint64(len(l.waiting))
	if lost == 0 || l.failed { // whoever was stopped knows why
		return nil
	}
	why := l.failure
	if why == nil {
		why = errors.New("the destination did not take them in time")
	}
	return fmt.Errorf("writing the audit log: %d of %d lines were lost: %w", lost, l.seq, why)
}

// Path returns the path of the file that the log of the process writes to, or "". Confined code must not reach it.
func Path() string {
	if l := current.Load(); l != nil {
		return l.path
	}
	return ""
}
