package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/workspace"
	"github.com/idelchi/aura/internal/system/process"
)

// continuePrompt is sent in a session that another worker began.
const continuePrompt = "The machine on which you worked on this task stopped. The files are as they were after your last complete step; a later step may have begun. Check what the next step needs, and continue with the task."

const (
	// stopTime is how long a child may take to end when it is asked to.
	stopTime = 2 * time.Second
	// lateTime is how long after its timeout a child is killed.
	lateTime = 15 * time.Second
)

// child runs aura on the prompts that are left. Its error is that of the process, or why the worker ended it.
func (t *task) child(ctx context.Context) error {
	from := t.watch.saved
	if t.watch.said.exceeds(t.CostUSD) {
		return errCost
	}
	left := t.Timeout
	if left > 0 {
		if left -= t.Progress.Used; left <= 0 {
			return errTimeout
		}
		limited, cancel := context.WithTimeoutCause(ctx, left+lateTime, errTimeout)
		defer cancel()
		ctx = limited
	}
	prompts, err := t.prompts(from)
	if err != nil {
		return err
	}
	p, err := process.Start(process.Spec{
		// The prompts are on standard input, because everybody on the machine can read a command line.
		Path: t.w.Aura, Args: t.arguments(from, left), Dir: t.space.Dir, Env: t.environ(), Stdin: bytes.NewReader(prompts), Stdout: t.watch, Stderr: t.watch.stderr,
		// On Linux the child ends with the worker, and ends what it started. Elsewhere a watcher sees to it.
		// An aura that exits has ended what it started. Only one that is killed leaves something to look for.
		Mark: workspace.Mark, Orderly: true, Guard: runtime.GOOS != "linux",
	})
	if err != nil {
		return fmt.Errorf("starting aura: %w", err)
	}
	saved := make(chan struct{})
	saving, stop := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(saved)
		t.watch.saveProgress(saving, ctx, func(err error) { t.w.end(t.Key(), err) })
	}()
	select {
	case <-p.Exited():
	case <-ctx.Done():
		p.Stop(stopTime, p.Terminate)
	}
	stop()
	<-saved
	t.watch.flush()
	err = p.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if _, exited := process.ExitCode(err); !exited {
		return &diedError{words: fmt.Sprintf("%v; %s", err, words(strings.TrimSpace(t.watch.stderr.String()+" "+t.watch.words())))}
	}
	return err
}

// Causes of the end of a task that count as its result.
var (
	errTimeout = errors.New("the task has used up its time")
	errCost    = errors.New("the task has used up its cost")
)

// arguments returns the command line of the child.
func (t *task) arguments(from position, left time.Duration) []string {
	args := append([]string{"aura", "run", "--json"}, t.w.Args...)
	for _, flag := range []struct{ name, value string }{
		{"--agent", t.Agent}, {"--mode", t.Mode}, {"--provider", t.Provider}, {"--model", t.Model}, {"--network", t.Network}, {"--resume", from.session},
	} {
		if flag.value != "" {
			args = append(args, flag.name+"="+flag.value)
		}
	}
	if t.Trust == "" {
		args = append(args, "--safe")
	}
	if t.MaxSteps > 0 {
		args = append(args, fmt.Sprintf("--max-steps=%d", t.MaxSteps))
	}
	if t.TokenBudget > 0 {
		args = append(args, fmt.Sprintf("--token-budget=%d", t.TokenBudget))
	}
	if left > 0 {
		args = append(args, "--timeout="+left.String())
	}
	return append(args, "--prompts-file=-")
}

// prompts returns the prompts that are left, as JSON lines.
func (t *task) prompts(from position) ([]byte, error) {
	left := t.Prompts[min(from.done, len(t.Prompts)):]
	if from.begun {
		left = append([]string{continuePrompt}, t.Prompts[min(from.done+1, len(t.Prompts)):]...)
	}
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	for _, text := range left {
		if err := lines.Encode(text); err != nil {
			return nil, fmt.Errorf("writing the prompts of the task: %w", err)
		}
	}
	return out.Bytes(), nil
}

// inherited are the variables of the worker that each child gets. Others must be offered by the worker and named by the batch.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy", "SYSTEMROOT", "GOGC", "GORACE",
}

func (t *task) environ() []string {
	out := []string{"XDG_STATE_HOME=" + t.state(), "TERM=dumb"}
	for _, name := range append(append([]string{}, inherited...), t.Env...) {
		if value := t.w.variable(name); value != "" {
			out = append(out, name+"="+value)
		}
	}
	return out
}

// status returns how a task ended, by the exit code of aura.
func status(code int) fleet.Status {
	switch code {
	case 0:
		return fleet.StatusDone
	case 3:
		return fleet.StatusLimit
	case 4:
		return fleet.StatusTimeout
	default:
		return fleet.StatusFailed
	}
}
