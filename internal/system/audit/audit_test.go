package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/base/redact"
)

// facts has one fact of each kind, with texts that try to end a line, to draw on a terminal or to show a secret.
func facts() []Fact {
	evil := "x\n{\"seq\":1}\r\x1b[2J\u009b31m\u202e\xff\x00 s3cret-value"
	var out []Fact
	for _, k := range Kinds() {
		out = append(out, Fact{k, evil, evil, evil, evil, evil, evil + strings.Repeat("y", 3*maxText)})
	}
	return out
}

// destinations returns for each kind of destination its address or sink, and a function that returns the lines it received.
func destinations(t *testing.T) map[string]struct {
	to   sink
	read func() []string
} {
	t.Helper()
	type destination = struct {
		to   sink
		read func() []string
	}
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	address, collected := startCollector(t)
	web, err := newCollector(address)
	if err != nil {
		t.Fatal(err)
	}
	server := &received{}
	out := map[string]destination{
		ToFile: {&file{path: path}, func() []string { return strings.SplitAfter(strings.TrimSuffix(readFile(t, path), "\n"), "\n") }},
		ToOTLP: {web, collected},
	}
	if socket := server.listen(t); socket != "" {
		out[ToSyslog] = destination{&syslogger{sockets: []string{filepath.Join(t.TempDir(), "none"), socket}}, server.all}
	}
	return out
}

// TestFacts writes each kind of fact to each kind of destination: one line of JSON each, in order, with who, when and which hash, and without
// secrets.
func TestFacts(t *testing.T) {
	t.Parallel()
	for kind, d := range destinations(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			l := newLog(Options{Policy: "p0", Secrets: redact.New("s3cret-value")}, d.to)
			go l.run()
			for _, f := range facts() {
				_ = l.Record(f)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			lines := d.read()
			if len(lines) != len(Kinds()) {
				t.Fatalf("%d lines: %q", len(lines), lines)
			}
			for i, text := range lines {
				var line Line
				if err := json.Unmarshal([]byte(text), &line); err != nil {
					t.Fatalf("%q: %v", text, err)
				}
				if line.Kind != Kinds()[i] || line.Seq != uint64(i+1) || line.UID != l.about.UID || line.Process != os.Getpid() ||
					line.Run == "" || line.Policy != "p0" || time.Since(line.At).Abs() > time.Hour || !strings.HasPrefix(line.Hash, "x\n") {
					t.Errorf("line %d: %+v", i, line)
				}
				if strings.Contains(text, "s3cret") || strings.ContainsAny(strings.TrimSuffix(text, "\n"), "\n\r\x1b\u009b\u202e\x00") || len(text) > 8*maxText {
					t.Errorf("line %d: %q", i, text)
				}
			}
		})
	}
}

// TestFailures lets each kind of destination fail in its ways, and then work again.
func TestFailures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing", "audit.jsonl")
	web := &faulty{}
	server := httptest.NewServer(web)
	t.Cleanup(server.Close)
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	t.Cleanup(other.Close)
	collector := func() sink {
		c, err := newCollector(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	answers := func(status int, body string) func() {
		return func() { web.set(status, body, other.URL) }
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), link); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(dir, "open")
	for _, err := range []error{os.WriteFile(open, nil, 0o600), os.Chmod(open, 0o666)} { //nolint:gosec // what is refused
		if err != nil {
			t.Fatal(err)
		}
	}
	remove := func(path string) func() {
		return func() {
			if err := errors.Join(os.RemoveAll(path), os.MkdirAll(filepath.Dir(path), 0o700)); err != nil {
				t.Error(err)
			}
		}
	}
	for name, row := range map[string]struct {
		to           sink
		fail, repair func()
		want         string
	}{
		"no directory":       {&file{path: missing}, func() {}, remove(missing), "no such file"},
		"a link":             {&file{path: link}, func() {}, remove(link), link},
		"writable by others": {&file{path: open}, func() {}, remove(open), "chmod go-w"},
		"no syslog":          {&syslogger{sockets: []string{filepath.Join(dir, "log")}}, func() {}, nil, "connecting to syslog"},
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); failing(t, row.to, row.fail, row.repair, row.want) })
	}
	t.Run("a collector", func(t *testing.T) {
		t.Parallel()
		for name, row := range map[string]struct {
			status     int
			body, want string
		}{
			"refuses":        {http.StatusServiceUnavailable, "", "503"},
			"redirects":      {http.StatusTemporaryRedirect, "", "307"},
			"refuses a part": {http.StatusOK, `{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"too long"}}`, "too long"},
		} {
			t.Run(name, func(t *testing.T) { //nolint:paralleltest // the rows share a server
				failing(t, collector(), answers(row.status, row.body), answers(http.StatusOK, `{"partialSuccess":{}}`), row.want)
			})
		}
	})
}

// failing records lines while a destination fails: they wait, or stop what is going on. Then it repairs the destination.
func failing(t *testing.T, to sink, fail, repair func(), want string) {
	t.Helper()
	fail()
	var stopped []error
	l := newLog(Options{Stop: func(err error) { stopped = append(stopped, err) }}, to)
	go l.run()
	first, second := l.Record(Fact{Kind: Denied}), l.Record(Fact{Kind: Denied})
	if first == nil || second == nil {
		t.Errorf("recorded: %v, %v", first, second)
	}
	if len(stopped) != 1 || !strings.Contains(stopped[0].Error(), want) {
		t.Errorf("stopped: %v", stopped)
	}
	if err := l.Close(); err != nil {
		t.Errorf("whoever was stopped knows why: %v", err)
	}
	l = newLog(Options{}, to)
	l.max = 2
	go l.run()
	for range 4 {
		_ = l.Record(Fact{Kind: Denied})
	}
	if repair == nil {
		if err := l.Close(); err == nil || !strings.Contains(err.Error(), "4 of 4 lines were lost") {
			t.Errorf("closed: %v", err)
		}
		return
	}
	repair()
	if err := l.Close(); err == nil || !strings.Contains(err.Error(), "2 of 4 lines were lost") {
		t.Errorf("closed: %v", err)
	}
}

// TestLost reports lines that did not fit, once the destination works again.
func TestLost(t *testing.T) {
	t.Parallel()
	to := &valve{opened: make(chan struct{})}
	l := newLog(Options{}, to)
	l.max = 3
	for range 5 {
		_ = l.Record(Fact{Kind: Load})
	}
	written := l.written
	go l.run()
	close(to.opened)
	<-written
	_ = l.Record(Fact{Kind: Crash})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, text := range to.lines {
		var line Line
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(line.Seq, " ", line.Kind))
	}
	if want := "[1 load 2 load 3 load 6 lost 7 crash]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// TestSlow lets a destination take no line at all: nothing waits for it, or it stops what is going on after its time.
func TestSlow(t *testing.T) {
	t.Parallel()
	never := &valve{opened: make(chan struct{})}
	t.Cleanup(func() { close(never.opened) })
	l := newLog(Options{}, never)
	go l.run()
	for range 2 * maxBatch {
		_ = l.Record(Fact{Kind: Load}) // would never return
	}
	stopped := make(chan error, 1)
	l = newLog(Options{Stop: func(err error) { stopped <- err }}, never)
	l.writeTime = time.Millisecond
	go l.run()
	_ = l.Record(Fact{Kind: Load})
	if err := <-stopped; !strings.Contains(err.Error(), "did not take a line within 1ms") {
		t.Error(err)
	}
}

// TestConcurrent records from many goroutines and logs, as several processes do.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	var writers sync.WaitGroup
	const logs, each = 4, 200
	for range logs {
		l, err := Open(Options{To: ToFile, Address: path, Stop: func(err error) { t.Error(err) }})
		if err != nil {
			t.Fatal(err)
		}
		writers.Go(func() {
			var recorders sync.WaitGroup
			for range 4 {
				recorders.Go(func() {
					for range each / 4 {
						_ = l.Record(Fact{Kind: Load, Text: strings.Repeat("x", 500)})
					}
				})
			}
			recorders.Wait()
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	last := map[string]uint64{}
	for text := range strings.Lines(readFile(t, path)) {
		if text == "\n" {
			continue // another process was writing when one began
		}
		var line Line
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if line.Seq != last[line.Run]+1 {
			t.Fatalf("run %s: line %d follows %d", line.Run, line.Seq, last[line.Run])
		}
		last[line.Run] = line.Seq
	}
	if len(last) != logs {
		t.Errorf("%d runs", len(last))
	}
}

// TestRotated renames the file between two lines.
func TestRotated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "{user}.jsonl")
	l, err := Open(Options{To: ToFile, Address: path, Stop: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Record(Fact{Kind: Load})
	if err := os.Rename(l.path, l.path+".1"); err != nil || l.path == path {
		t.Fatal(l.path, err)
	}
	_ = l.Record(Fact{Kind: Crash})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if first, second := readFile(t, l.path+".1"), readFile(t, l.path); !strings.Contains(first, `"load"`) || !strings.Contains(second, `"crash"`) {
		t.Errorf("%q, %q", first, second)
	}
	info, err := os.Stat(l.path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestOpen opens destinations that are none.
func TestOpen(t *testing.T) {
	t.Parallel()
	stop := func(error) {}
	for name, row := range map[string]struct {
		o    Options
		want string
	}{
		"relative":          {Options{To: ToFile, Address: "audit.jsonl"}, "not an absolute path"},
		"no address":        {Options{To: ToOTLP, Address: "collector"}, "not the http or https address"},
		"unknown":           {Options{To: "mail"}, `no destination "mail"`},
		"absent, and stops": {Options{To: ToFile, Address: filepath.Join(t.TempDir(), "a", "b"), Stop: stop}, "permits nothing without it"},
		"absent, and waits": {Options{To: ToFile, Address: filepath.Join(t.TempDir(), "a", "b")}, ""},
	} {
		l, err := Open(row.o)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v", name, err)
		}
		if err := l.Close(); err != nil {
			t.Errorf("%s: closing: %v", name, err)
		}
	}
	_ = Record(Fact{Kind: Load}) // no log
}

// valve is a destination that takes nothing until it is opened.
type valve struct {
	opened chan struct{}
	mu     sync.Mutex
	lines  []string
}

func (v *valve) write(_ context.Context, lines [][]byte) (int, error) {
	<-v.opened
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, line := range lines {
		v.lines = append(v.lines, string(line))
	}
	return len(lines), nil
}
