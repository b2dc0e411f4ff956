//go:build unix

package relay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/idelchi/aura/internal/system/process"
)

const (
	// pieceSize is how much is read at once, in bytes.
	pieceSize = 32 << 10
	// selectable is the first descriptor that unix.Select cannot wait for.
	selectable = 1024
	// patience is how long an answer of the user's terminal may take.
	patience = 150 * time.Millisecond
	// question asks a terminal whether it works. The terminal answers in the order of the questions.
	question, answer = "\x1b[5n", "\x1b[0n"
)

// relay passes on what is typed and written while a program runs.
type relay struct {
	ends
	// in and out are the descriptors of the user's terminal, and cooked its usual modes.
	in, out int
	cooked  *term.State
	output  *Output

	// pending was typed, and the pseudo-terminal had no room for it.
	pending []byte
	// event is the beginning of an event of the leader.
	event string
	// deaf is set once nothing can be read from the user's terminal any more.
	deaf bool
}

// Run runs a program to its end, or until ctx ends. The user's terminal must be in its usual modes; afterwards each key arrives at once. Run returns
// what the user typed and the program did not read, and how the program ended. If the error is ErrNone, nothing was done.
func Run(ctx context.Context, in, out *os.File, p Program, output *Output) (typed []byte, err error) {
	cooked, err := term.GetState(int(in.Fd()))
	if err != nil {
		return nil, ErrNone
	}
	r := &relay{in: int(in.Fd()), out: int(out.Fd()), cooked: cooked, output: output}
	theirs, err := r.open()
	defer r.close()
	if err == nil {
		err = errors.Join(term.Restore(r.slave, cooked), unix.SetNonblock(r.master, true))
	}
	if err != nil || max(r.in, r.master, r.events) >= selectable {
		theirs.close()
		return nil, ErrNone
	}
	defer r.followSize()()
	leader, err := process.Start(process.Spec{
		Path: p.Path, Args: p.Args, Dir: p.Dir, Env: p.Environ,
		Stdin: theirs.tty, Stdout: theirs.tty, Stderr: theirs.tty, Files: []*os.File{theirs.events, theirs.orders},
	}.Led(p.Leader))
	theirs.close()
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, leader.Kill)()
	how, err := r.pass()
	if err != nil {
		leader.Kill()
	} else if ctx.Err() == nil {
		typed, err = r.unread()
	}
	// The leader ends with its orders, and what still uses the pseudo-terminal ends with the leader.
	r.endOrders()
	if err = errors.Join(err, leader.Wait()); err == nil && how != "" {
		err = errors.New(how)
	}
	return typed, err
}

// followSize gives the pseudo-terminal the size of the user's terminal, also when that changes, until the returned function is called.
func (r *relay) followSize() (stop func()) {
	changed, done := make(chan os.Signal, 1), make(chan struct{})
	resize := func() {
		// A terminal without a size gives none to the program.
		if size, err := unix.IoctlGetWinsize(r.in, unix.TIOCGWINSZ); err == nil {
			_ = unix.IoctlSetWinsize(r.master, unix.TIOCSWINSZ, size)
		}
	}
	signal.Notify(changed, unix.SIGWINCH)
	resize()
	go func() {
		defer close(done)
		for range changed {
			resize()
		}
	}()
	return func() {
		signal.Stop(changed)
		close(changed)
		<-done
	}
}

// pass passes on everything until the program ends, and returns how it ended.
func (r *relay) pass() (how string, err error) {
	if _, err := term.MakeRaw(r.in); err != nil {
		return "", fmt.Errorf("preparing the terminal: %w", err)
	}
	for {
		typed, written, events, err := r.wait()
		if err != nil {
			return "", err
		}
		if written {
			if err := r.show(1); err != nil {
				return "", err
			}
		}
		if typed {
			r.read()
		}
		r.feed()
		if !events {
			continue
		}
		how, ended, err := r.follow()
		if ended || err != nil {
			// What the program wrote before its end is all there by now.
			return how, errors.Join(err, r.show(maxPieces))
		}
	}
}

// wait waits until something was typed or written, or the leader reports something, or the pseudo-terminal has room for what is pending.
func (r *relay) wait() (typed, written, events bool, err error) {
	for {
		var reads, writes unix.FdSet
		reads.Set(r.master)
		reads.Set(r.events)
		switch {
		case len(r.pending) > 0:
			writes.Set(r.master)
		case !r.deaf:
			reads.Set(r.in)
		}
		_, err := unix.Select(max(r.in, r.master, r.events)+1, &reads, &writes, nil, nil)
		if err == nil {
			return reads.IsSet(r.in), reads.IsSet(r.master), reads.IsSet(r.events), nil
		}
		if !errors.Is(err, unix.EINTR) {
			return false, false, false, fmt.Errorf("waiting for the terminal: %w", err)
		}
	}
}

// maxPieces is how many pieces are read after the end of a program at most, because programs that it left may still write.
const maxPieces = 64

// show shows and keeps what the program wrote.
func (r *relay) show(pieces int) error {
	buf := make([]byte, pieceSize)
	for range pieces {
		n, err := again(func() (int, error) { return unix.Read(r.master, buf) })
		if n <= 0 {
			if err != nil && !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EIO) { // EIO: nobody has the other end open
				return fmt.Errorf("reading what the program writes: %w", err)
			}
			return nil
		}
		if _, err := r.output.Write(buf[:n]); err != nil {
			return err
		}
		for rest := buf[:n]; len(rest) > 0; {
			n, err := again(func() (int, error) { return unix.Write(r.out, rest) })
			if err != nil {
				return fmt.Errorf("showing what the program writes: %w", err)
			}
			rest = rest[n:]
		}
	}
	return nil
}

// read reads what was typed.
func (r *relay) read() {
	buf := make([]byte, pieceSize)
	n, err := again(func() (int, error) { return unix.Read(r.in, buf) })
	if n > 0 {
		r.pending = append(r.pending, buf[:n]...)
	}
	r.deaf = n <= 0 && !errors.Is(err, unix.EAGAIN)
}

// feed gives the program what was typed. What it has no room for stays pending.
func (r *relay) feed() {
	for len(r.pending) > 0 {
		n, err := again(func() (int, error) { return unix.Write(r.master, r.pending) })
		if n <= 0 || err != nil {
			return
		}
		r.pending = r.pending[n:]
	}
}

// follow reads the next events, and reports whether the program has ended.
func (r *relay) follow() (how string, ended bool, err error) {
	buf := make([]byte, pieceSize)
	n, err := again(func() (int, error) { return unix.Read(r.events, buf) })
	if n <= 0 || err != nil { // the leader was killed; its end says how
		return "", true, nil //nolint:nilerr // see above
	}
	r.event += string(buf[:n])
	for {
		event, rest, whole := strings.Cut(r.event, "\n")
		if !whole {
			return "", false, nil
		}
		r.event = rest
		if how, ended := strings.CutPrefix(event, process.LeadEnded); ended {
			return how, true, nil
		}
		if err := r.suspend(); err != nil {
			return "", false, err
		}
	}
}

// suspend stops aura because the user stopped the program, and continues the program after aura.
func (r *relay) suspend() error {
	if err := r.show(maxPieces); err != nil {
		return err
	}
	if err := term.Restore(r.in, r.cooked); err != nil {
		return fmt.Errorf("giving the terminal back: %w", err)
	}
	err := Suspend()
	if _, failed := term.MakeRaw(r.in); failed != nil {
		err = errors.Join(err, fmt.Errorf("taking the terminal again: %w", failed))
	}
	if err != nil {
		return err
	}
	_, err = again(func() (int, error) { return unix.Write(r.orders, []byte{0}) })
	return err
}

// Suspend stops the process group of aura, as Ctrl-Z does, and returns when it continues. Without a shell that could continue it, Suspend does
// nothing, as the kernel.
func Suspend() error {
	if session, err := unix.Getsid(os.Getppid()); err != nil || session != ownSession() {
		return nil
	}
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	defer signal.Stop(continued)
	if err := unix.Kill(0, unix.SIGTSTP); err != nil {
		return fmt.Errorf("stopping aura: %w", err)
	}
	<-continued
	return nil
}

func ownSession() int {
	session, err := unix.Getsid(0)
	if err != nil {
		return -1
	}
	return session
}

// unread returns what was typed for the program and not read by it. If the program may have asked the terminal something, unread waits for
// the answers: what comes later was typed for aura.
func (r *relay) unread() ([]byte, error) {
	if _, err := term.MakeRaw(r.slave); err != nil {
		return nil, fmt.Errorf("reading what was typed: %w", err)
	}
	if err := unix.SetNonblock(r.slave, true); err != nil {
		return nil, fmt.Errorf("reading what was typed: %w", err)
	}
	var typed []byte
	buf := make([]byte, pieceSize)
	for {
		n, err := again(func() (int, error) { return unix.Read(r.slave, buf) })
		if n <= 0 || err != nil {
			break
		}
		typed = append(typed, buf[:n]...)
	}
	typed = append(typed, r.pending...)
	if r.output.asks && !r.deaf {
		late, err := r.answers()
		return append(typed, late...), err
	}
	return typed, nil
}

// answers returns what comes from the user's terminal before it answers a question of aura's own.
func (r *relay) answers() ([]byte, error) {
	if _, err := again(func() (int, error) { return unix.Write(r.out, []byte(question)) }); err != nil {
		return nil, fmt.Errorf("asking the terminal: %w", err)
	}
	var came []byte
	buf := make([]byte, 1)
	for deadline := time.Now().Add(patience); ; {
		left := unix.NsecToTimeval(max(0, time.Until(deadline)).Nanoseconds())
		var reads unix.FdSet
		reads.Set(r.in)
		n, err := unix.Select(r.in+1, &reads, nil, nil, &left)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			return came, err
		}
		// Byte by byte, so that what follows the answer stays in the terminal.
		if n, err := again(func() (int, error) { return unix.Read(r.in, buf) }); n <= 0 || err != nil {
			return came, err
		}
		if came = append(came, buf[0]); strings.HasSuffix(string(came), answer) {
			return came[:len(came)-len(answer)], nil
		}
	}
}

// again repeats a system call that a signal interrupted.
func again(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
