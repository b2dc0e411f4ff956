package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/lab"
)

// starts is how often each startup is measured.
const starts = 9

// startup measures the time from the start of the process to the first model request, the time from the last answer to the end
// of the process, and the memory of the child processes.
func (l *bench) startup(ctx context.Context) error {
	rows := [][]string{{"plugins", "first request", "same, nothing remembered", "exit", "private per child", "PSS per child", "reference without processes"}}
	original := map[int]string{0: "68ms", 13: "150ms with 12; 1.6 MB", 50: "389ms"}
	wanted := map[int]string{13: " (≤ 100ms)", 50: " (≤ 250ms)"}
	for _, n := range []int{0, 1, 13, 50} {
		m, err := l.measure(ctx, n)
		if err != nil {
			return err
		}
		rows = append(rows, []string{
			fmt.Sprint(n), millis(m.first) + wanted[n], millis(m.cold), millis(m.exit),
			megabytes(m.private), megabytes(m.pss), original[n],
		})
	}
	l.table("Start-up of aura run (medians of "+fmt.Sprint(starts)+"; wanted: at most 5 MB private per child)", rows)
	return l.firstRequest(ctx)
}

func millis(d time.Duration) string { return fmt.Sprintf("%.0fms", float64(d.Microseconds())/1000) }

func megabytes(bytes int64) string {
	if bytes == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}

type measured struct {
	first, cold, exit time.Duration
	private, pss      int64
}

func (l *bench) measure(ctx context.Context, n int) (m measured, err error) {
	project := filepath.Join(l.Dir, "project"+strconv.Itoa(n))
	if err := l.project(project, n); err != nil {
		return m, err
	}
	var first, cold, exit []time.Duration
	for range starts {
		if err := os.RemoveAll(filepath.Join(stateOf(project), "aura", "cache")); err != nil {
			return m, err
		}
		for _, times := range []*[]time.Duration{&cold, &first} {
			began, end, err := l.talk(ctx, project)
			if err != nil {
				return m, err
			}
			*times = append(*times, began)
			exit = append(exit, end)
		}
	}
	m.first, m.cold, m.exit = median(first), median(cold), median(exit)
	if n > 0 {
		m.private, m.pss, err = l.memory(ctx, project, n)
	}
	return m, err
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// project creates a directory with n plugins: the examples, and further copies of the examples without a tool, because names
// of tools would clash.
func (l *bench) project(dir string, n int) error {
	manifests, err := l.Examples()
	if err != nil {
		return err
	}
	for i := range n {
		from := filepath.Dir(manifests[i%len(manifests)])
		if i >= len(manifests) && filepath.Base(filepath.Dir(from)) == "tools" {
			from = filepath.Dir(manifests[0])
		}
		to := filepath.Join(dir, ".aura", "plugins", fmt.Sprintf("%s-%d", filepath.Base(from), i))
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			return err
		}
	}
	return lab.WriteFiles(dir, map[string]string{
		".aura/config/providers/bench.yaml": "bench: {type: script, file: quick.yaml}\nslow: {type: script, file: slow.yaml}\n",
		".aura/config/quick.yaml":           "turns: [{text: done}]\n",
		".aura/config/slow.yaml":            "turns: [{text: done, delay: 1h}]\n",
	})
}

func (l *bench) command(ctx context.Context, project, provider string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, l.Bin("aura"), "run", "--json", "--home", "", "--provider", provider, "hi")
	cmd.Dir = project
	cmd.Env = environ(project)
	return cmd
}

// environ returns the environment in which aura is started in a trusted project. The home is located beside the project and
// the temporary directory in it, so that the sandbox policy is the usual one.
func environ(project string) []string {
	temp := filepath.Join(project, "tmp")
	// If the directory is missing, aura reports it.
	_ = os.MkdirAll(temp, 0o700)
	return []string{"HOME=" + project + "-home", "XDG_STATE_HOME=" + stateOf(project), "TMPDIR=" + temp, "AURA_TRUST=1"}
}

func stateOf(project string) string { return filepath.Join(project, "state") }

// running returns the health of the plugins of a project's sessions.
func running(project string) []host.PluginHealth {
	return host.Running(host.RuntimeDirs("", filepath.Join(stateOf(project), "aura", "run"))...)
}

// talk runs a conversation of one model call. It returns the time from the start to the request, and the time that the process
// took to exit after the answer.
func (l *bench) talk(ctx context.Context, project string) (request, exit time.Duration, err error) {
	cmd := l.command(ctx, project, "bench")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	var answered time.Time
	request, err = events(stdout, func(kind string) {
		if kind == "done" {
			answered = time.Now()
		}
	}, began)
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return 0, 0, fmt.Errorf("%w\n%s", err, stderr.String())
	}
	return request, time.Since(answered), nil
}

// events reads events until the stream ends and returns when the first request was made.
func events(r io.Reader, seen func(kind string), began time.Time) (request time.Duration, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e struct{ Type string }
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return 0, err
		}
		if e.Type == "request" && request == 0 {
			request = time.Since(began)
		}
		seen(e.Type)
	}
	return request, lines.Err()
}

// memory keeps a session at its first request until all child processes are ready, and returns their average memory in bytes.
func (l *bench) memory(ctx context.Context, project string, n int) (private, pss int64, err error) {
	ctx, cancel := context.WithCancel(ctx)
	cmd := l.command(ctx, project, "slow")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		cancel()
		return 0, 0, err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // it is killed
	}()
	defer func() { cancel(); <-ended }()
	pids, err := children(project, n, ended)
	if err != nil {
		cancel()
		<-ended
		return 0, 0, fmt.Errorf("%w\n%s", err, stderr.String())
	}
	for _, pid := range pids {
		priv, p, err := rollup(pid)
		if err != nil {
			return 0, 0, err
		}
		private, pss = private+priv, pss+p
	}
	return private / int64(n), pss / int64(n), nil
}

// children waits until n plugins of a project run and returns their process IDs.
func children(project string, n int, ended <-chan struct{}) ([]int, error) {
	deadline := time.After(time.Minute)
	for {
		var pids []int
		for _, h := range running(project) {
			if h.Pid != 0 && strings.HasPrefix(h.Dir, project+"/") {
				pids = append(pids, h.Pid)
			}
		}
		if len(pids) >= n {
			return pids, nil
		}
		select {
		case <-ended:
			return nil, fmt.Errorf("aura ended while %d of %d plugins ran", len(pids), n)
		case <-deadline:
			return nil, fmt.Errorf("only %d of %d plugins run", len(pids), n)
		case <-time.After(time.Millisecond):
		}
	}
}

func rollup(pid int) (private, pss int64, err error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(b)) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			continue
		}
		kb, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			continue
		}
		switch fields[0] {
		case "Private_Dirty:":
			// Clean private pages belong to the program's file. They count as private only while no other child maps them.
			private += kb << 10
		case "Pss:":
			pss += kb << 10
		}
	}
	return private, pss, nil
}
