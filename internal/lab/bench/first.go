package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/idelchi/aura/internal/lab"
)

// firstRounds is how often each first request is measured. The numbers of plugins alternate, so that noise affects all alike.
const firstRounds = 9

// hooked is a plugin whose hook takes part in the first request. NAME stands for its name.
const hooked = `package NAME

import (
	"context"
	"fmt"
	"strings"

	"github.com/idelchi/aura/sdk"
)

var calls int

func BeforeChat(ctx context.Context, c sdk.BeforeChatContext) (sdk.Result, error) {
	calls++
	if strings.HasPrefix(c.Agent, "nobody") {
		return sdk.Result{Message: fmt.Sprintf("call %d", calls)}, nil
	}
	return sdk.Result{}, nil
}
`

// first is what was measured with one number of plugins.
type first struct {
	request, all, child []time.Duration
}

// firstRequest compares the time to the first request with 0, 12 and 50 plugins that all have BeforeChat, and measures the processor time
// that a plugin costs.
func (l *bench) firstRequest(ctx context.Context) error {
	numbers := []int{0, 12, 50}
	measured := map[int]*first{}
	for _, n := range numbers {
		if err := l.hookedProject(n); err != nil {
			return err
		}
		measured[n] = &first{}
		// The first run fills the cache of exports.
		if _, _, err := l.talk(ctx, l.hookedDir(n)); err != nil {
			return err
		}
	}
	for range firstRounds {
		for _, n := range numbers {
			if err := l.firstRound(ctx, n, measured[n]); err != nil {
				return err
			}
		}
	}
	wanted := map[int]string{12: " (≤ 2.8)", 50: " (≤ 7)"}
	rows := [][]string{{"plugins", "fastest", "against none", "median", "against none", "processor time per plugin", "of it in its child"}}
	none := measured[0]
	for _, n := range numbers {
		m := measured[n]
		row := []string{
			fmt.Sprint(n), millis(slices.Min(m.request)), times(slices.Min(m.request), slices.Min(none.request)) + wanted[n],
			millis(median(m.request)), times(median(m.request), median(none.request)), "-", "-",
		}
		if n > 0 {
			row[5] = exact((slices.Min(m.all)-slices.Min(none.all))/time.Duration(n)) + " (≤ 6.5ms)"
			row[6] = exact(slices.Min(m.child) / time.Duration(n))
		}
		rows = append(rows, row)
	}
	l.table(fmt.Sprintf("First request with plugins that have BeforeChat (%d alternating rounds; processor time is the least, user and system)", firstRounds), rows)
	return nil
}

func times(d, unit time.Duration) string { return fmt.Sprintf("%.1f", float64(d)/float64(unit)) }

func exact(d time.Duration) string { return fmt.Sprintf("%.1fms", float64(d.Microseconds())/1000) }

func (l *bench) hookedDir(n int) string { return filepath.Join(l.Dir, fmt.Sprint("hooked", n)) }

// hookedProject creates a project with n plugins.
func (l *bench) hookedProject(n int) error {
	dir := l.hookedDir(n)
	if err := l.project(dir, 0); err != nil {
		return err
	}
	files := map[string]string{}
	for i := range n {
		name := fmt.Sprint("hooked", i)
		at := filepath.Join(".aura", "plugins", name)
		files[filepath.Join(at, "go.mod")] = "module " + name + "\n\ngo 1.25\n"
		files[filepath.Join(at, "plugin.yaml")] = "description: measured\n"
		files[filepath.Join(at, "main.go")] = string(bytes.ReplaceAll([]byte(hooked), []byte("NAME"), []byte(name)))
	}
	return lab.WriteFiles(dir, files)
}

// firstRound makes one conversation, and a second one that is stopped at its request to see what its children have used.
func (l *bench) firstRound(ctx context.Context, n int, m *first) error {
	cmd := l.command(ctx, l.hookedDir(n), "bench")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	request, err := events(stdout, func(string) {}, began)
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return fmt.Errorf("%w\n%s", err, stderr.String())
	}
	m.request = append(m.request, request)
	// This contains the children, because aura waits for them.
	m.all = append(m.all, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	if n == 0 {
		return nil
	}
	used, err := l.used(ctx, n)
	m.child = append(m.child, used)
	return err
}

// used returns the processor time of the children of a session that waits for the answer to its first request.
func (l *bench) used(ctx context.Context, n int) (time.Duration, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := l.command(ctx, l.hookedDir(n), "slow")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	var used time.Duration
	var failed error
	_, err = events(stdout, func(kind string) {
		if kind != "request" {
			return
		}
		defer cancel()
		pids, err := children(l.hookedDir(n), n, ctx.Done())
		failed = err
		for _, pid := range pids {
			t, err := processorTime(pid)
			used, failed = used+t, errors.Join(failed, err)
		}
	}, time.Now())
	_ = cmd.Wait() // it is killed
	return used, errors.Join(failed, err)
}
