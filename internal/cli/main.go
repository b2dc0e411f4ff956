// Package cli implements the command line. Each command has a file with its options, its action and its output. Apart from the
// screen, it is the only package that writes to a terminal, and the only one that converts errors to exit codes.
package cli

//go:generate go run ./gen -reference ../../docs/reference.md

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/agent/toolhost"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/base/telemetry"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/system/machinepolicy"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// The exit codes, listed in the help of the root command.
const (
	exitDone        = 0
	exitError       = 1
	exitUsage       = 2
	exitLimit       = 3
	exitTimeout     = 4
	exitHungUp      = 129
	exitInterrupted = 130
	exitTerminated  = 143
)

// streams holds the input and output of a command.
type streams struct {
	in       io.Reader
	out, err io.Writer
	// environ is the environment of the process.
	environ []string
	// screen manages the terminals behind out and err. If it is nil, execute creates it.
	screen *terminal.Screen
	// interrupts decides what Ctrl-C does. If it is nil, Ctrl-C ends the command.
	interrupts *interrupts
	// audit opens the audit log. If it is nil, there is none.
	audit *auditing
	// lines reads what the user types as answers. If it is nil, each question has a reader of its own.
	lines *lineReader
}

// onScreen returns the streams with a screen. Text that is written to a terminal is cleaned from then on.
func (s streams) onScreen() streams {
	s.screen = terminal.NewScreen(s.out, s.err, s.environ)
	s.out, s.err, s.lines = s.screen.Out(), s.screen.Err(), &lineReader{}
	return s
}

// Main runs aura on the arguments of the process and returns the exit code.
func Main() int {
	if status, asked := toolhost.Main(os.Args, nil); asked {
		return status
	}
	if status, asked := setup.Drain(os.Args); asked {
		return status
	}
	collectLess()
	// The reader of standard output may close it. Writing then fails, which must not end a running session.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	s := streams{in: os.Stdin, out: os.Stdout, err: os.Stderr, environ: config.ProcessEnviron(), interrupts: &interrupts{}}.onScreen()
	defer s.screen.LeaveOnStop()()
	ctx, stop := withSignals(context.Background(), s.err, s.interrupts)
	defer stop()
	// Files that cannot be removed stay until the system clears its temporary files.
	defer func() { _ = sandbox.RemovePrivateTemp() }()
	return execute(ctx, s, os.Args[1:])
}

const (
	// startCollect is the setting of the garbage collector while aura starts. Most of what is allocated then stays in use, so that it is
	// useless to look for garbage as often as later.
	startCollect = 400
	// startTime is a time after which a session has started all its plugins.
	startTime = 2 * time.Second
)

// collectLess lets the garbage collector work less until aura has started. A user who sets GOGC higher, or turns the collector off, decides.
func collectLess() {
	later := debug.SetGCPercent(startCollect)
	if later < 0 || later > startCollect {
		debug.SetGCPercent(later)
		return
	}
	time.AfterFunc(startTime, func() { debug.SetGCPercent(later) })
}

// execute runs one command line. Tests call it directly.
func execute(ctx context.Context, s streams, args []string) int {
	if s.screen == nil {
		s = s.onScreen()
	}
	out := &output{Writer: s.out}
	s.out = out
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s.audit = &auditing{stop: stop}
	root := newRoot(s)
	args = usualForms(root, goStyle(args))
	root.SetArgs(args)
	narrowCompletion(root, args)
	cmd, err := root.ExecuteContextC(ctx)
	err = s.audit.close(ctx, s.err, out.finalError(err))
	code := exitCode(ctx, err)
	if err != nil && (!errors.Is(err, errShown) || ctx.Err() != nil) {
		// Errors of a session hide all secrets of its configuration. Earlier errors hide at least the values of variables.
		secrets := redact.New(append(redact.Environ(s.environ), telemetry.Secrets()...)...)
		fmt.Fprintf(s.err, "aura: %s\n", clean(secrets.String(describe(ctx, cmd.CommandPath(), err))))
	}
	return code
}

// errShown marks an error that was already shown to the user.
var errShown = errors.New("shown")

// usageError reports an invalid command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// signalled is the cause of a context that a signal ended.
type signalled struct{ os.Signal }

func (s signalled) Error() string { return s.String() }

// Reason implements app.Ender.
func (signalled) Reason() session.Reason { return session.ReasonInterrupted }

// timeoutError is the cause of a context that --timeout ended.
type timeoutError time.Duration

func (e timeoutError) Error() string {
	return fmt.Sprintf("not done within %s (--timeout)", time.Duration(e))
}

// Reason implements app.Ender.
func (timeoutError) Reason() session.Reason { return session.ReasonTimeout }

func exitCode(ctx context.Context, err error) int {
	var sig signalled
	var late timeoutError
	var usage usageError
	var untrusted *gate.UntrustedError
	var quit *gate.QuitError
	var missing *setup.NoProviderError
	var policy *machinepolicy.Error
	var refused *machinepolicy.RefusalError
	switch {
	case err == nil:
		return exitDone
	case errors.As(context.Cause(ctx), &sig):
		return map[os.Signal]int{syscall.SIGTERM: exitTerminated, syscall.SIGHUP: exitHungUp, os.Interrupt: exitInterrupted}[sig.Signal]
	case errors.As(err, &late):
		return exitTimeout
	case errors.As(err, &usage), errors.As(err, &untrusted), errors.As(err, &quit), errors.As(err, &missing), errors.As(err, &policy), errors.As(err, &refused):
		return exitUsage
	case errors.Is(err, conversation.ErrStepLimit), errors.Is(err, conversation.ErrBudget):
		return exitLimit
	default:
		return exitError
	}
}

// describe returns the message for a failed command.
func describe(ctx context.Context, command string, err error) string {
	if sig, ok := errors.AsType[signalled](context.Cause(ctx)); ok {
		return "stopped by signal: " + sig.Error()
	}
	if _, ok := errors.AsType[usageError](err); ok {
		return err.Error() + "\nSee " + command + " --help."
	}
	return err.Error()
}

const (
	// forceAfter is how long aura may take to end after a signal before it is terminated immediately. Its children end with it in
	// both cases.
	forceAfter = 1500 * time.Millisecond
	// echoed is how long after the first signal further signals count as the same one: programs that start others, such as
	// timeout, signal first their child and then its whole group.
	echoed = 300 * time.Millisecond
)

// withSignals cancels the context at SIGINT and SIGTERM, and at SIGHUP unless aura was started to outlive its terminal. A second
// signal, or a slow cleanup, ends the process.
func withSignals(parent context.Context, w io.Writer, diverted *interrupts) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	ch := make(chan os.Signal, 2)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(ch, syscall.SIGHUP)
	}
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-ch:
				if s == os.Interrupt && diverted.runDiverted() {
					continue
				}
				cancel(signalled{s})
				if !impatient(ch, done, afterRunning(diverted.patience()), echoed) {
					return
				}
				removeFiles(w)
				fmt.Fprintln(w, "aura: stopped before the cleanup was finished")
				os.Exit(exitCode(ctx, context.Canceled)) //nolint:forbidigo // the way out when the orderly one is blocked
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		close(done)
		signal.Stop(ch)
		cancel(nil)
	}
}

// removeTime is how long removing files may take when aura is terminated immediately.
const removeTime = time.Second

// removeFiles removes what no other process can use after this one has ended: sockets and temporary files.
func removeFiles(w io.Writer) {
	removed := make(chan error, 1)
	go func() { removed <- errors.Join(host.RemoveSessions(), sandbox.RemovePrivateTemp()) }()
	select {
	case err := <-removed:
		if err != nil {
			fmt.Fprintf(w, "aura: removing temporary files: %v\n", err)
		}
	case <-time.After(removeTime):
	}
}

// interrupts lets a command handle Ctrl-C itself for a while.
type interrupts struct {
	mu sync.Mutex
	to func()
	// wait is how long the command may take to end after a signal; 0 means forceAfter.
	wait time.Duration
}

// patient lets the command take longer to end after a signal.
func (i *interrupts) patient(wait time.Duration) {
	if i == nil {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.wait = wait
}

// patience returns how long the command may take to end after a signal.
func (i *interrupts) patience() time.Duration {
	if i == nil {
		return forceAfter
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return cmp.Or(i.wait, forceAfter)
}

// divert calls to at each Ctrl-C until the returned function is called.
func (i *interrupts) divert(to func()) (end func()) {
	set := func(to func()) (before func()) {
		i.mu.Lock()
		defer i.mu.Unlock()
		before, i.to = i.to, to
		return before
	}
	before := set(to)
	return func() { set(before) }
}

// runDiverted runs what a Ctrl-C is diverted to. It reports whether there is such a thing.
func (i *interrupts) runDiverted() bool {
	if i == nil {
		return false
	}
	i.mu.Lock()
	to := i.to
	i.mu.Unlock()
	if to == nil {
		return false
	}
	to()
	return true
}

// afterRunning sends once after a time in which this process could run. Time in which the machine was stalled or suspended does
// not count: the cleanup could not proceed either.
func afterRunning(d time.Duration) <-chan struct{} {
	const tick = 50 * time.Millisecond
	passed := make(chan struct{}, 1)
	go func() {
		ticker := time.NewTicker(tick) // drops ticks that nobody could receive
		defer ticker.Stop()
		for range max(1, d/tick) {
			<-ticker.C
		}
		passed <- struct{}{}
	}()
	return passed
}

// impatient waits until aura is done. It returns true if aura must not wait any longer: the cleanup is slow, or another signal
// arrived that is not an echo of the first.
func impatient(signals <-chan os.Signal, done <-chan struct{}, late <-chan struct{}, echo time.Duration) bool {
	first := time.Now()
	for {
		select {
		case <-signals:
			if time.Since(first) > echo {
				return true
			}
		case <-late:
			return true
		case <-done:
			return false
		}
	}
}
