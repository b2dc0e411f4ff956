package top

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// status returns a status with the given values. Its key is its name.
func status(name, project string, set func(*host.Status)) host.Status {
	s := host.Status{Project: project}
	s.Name, s.State, s.Pid = name, host.StateReady, 1
	if set != nil {
		set(&s)
	}
	return s
}

func TestRates(t *testing.T) {
	t.Parallel()
	begin := time.Unix(0, 0)
	at := func(calls int64, cpu float64, pid int) host.Status {
		return status("p", "", func(s *host.Status) { s.Calls, s.CPU, s.Pid = calls, cpu, pid })
	}
	for name, tt := range map[string]struct {
		before     []host.Status
		now        host.Status
		calls, cpu float64
	}{
		"new":           {nil, at(10, 1, 1), 0, 0},
		"idle":          {[]host.Status{at(10, 1, 1)}, at(10, 1, 1), 0, 0},
		"busy":          {[]host.Status{at(10, 1, 1)}, at(14, 2, 1), 2, 50},
		"restarted":     {[]host.Status{at(10, 5, 1)}, at(12, 0.5, 2), 1, 0},
		"counted again": {[]host.Status{at(10, 5, 1)}, at(2, 0.5, 1), 0, 0},
	} {
		rows := Rows(Reading{At: begin, List: tt.before}, Reading{At: begin.Add(2 * time.Second), List: []host.Status{tt.now}})
		if rows[0].CallsPerSecond != tt.calls || rows[0].CPUPercent != tt.cpu {
			t.Errorf("%s: %v calls/s and %v %%, want %v and %v", name, rows[0].CallsPerSecond, rows[0].CPUPercent, tt.calls, tt.cpu)
		}
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	rows := func() []Row {
		return []Row{
			{Status: status("b", "/1", func(s *host.Status) { s.MemoryBytes = 5 })},
			{Status: status("a", "/2", func(s *host.Status) { s.MemoryBytes = 9 })},
			{Status: status("a", "/1", func(s *host.Status) { s.MemoryBytes = 5 })},
		}
	}
	for order, want := range map[Order]string{
		{Column: "plugin"}:                "a/1 a/2 b/1",
		{Column: "plugin", Reverse: true}: "b/1 a/1 a/2",
		{Column: "memory"}:                "a/2 a/1 b/1",
		{Column: "memory", Reverse: true}: "a/1 b/1 a/2",
		{Column: "project"}:               "a/1 b/1 a/2",
	} {
		list := rows()
		order.Sort(list)
		var got []string
		for _, r := range list {
			got = append(got, r.Name+r.Project)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%+v: %v, want %s", order, got, want)
		}
	}
	for _, name := range Names() {
		Order{Column: name}.Sort(rows())
	}
}

// TestLines checks which columns a screen shows.
func TestLines(t *testing.T) {
	t.Parallel()
	rows := []Row{{Status: status("a-plugin-with-a-long-name", "/home/somebody/projects/aura", func(s *host.Status) {
		s.Session, s.P50, s.P99, s.MemoryBytes = "01a1e2d0-7045-7158-8a74-5efadf14c57b", 1500, 20_000, 12_345_678
	})}}
	for width, want := range map[int][]string{
		1:  {"…", "…"},
		8:  {"PLUGIN", "a-plugi…"},
		20: {"PLUGIN         STATE", "a-plugin-wit…  ready"},
		40: {"PLUGIN      STATE  CALLS/S  MEMORY   CPU", "a-plugin-…  ready        0  12.3MB  0.0%"},
		300: {
			"PLUGIN                     STATE  CALLS/S    P50   P99  MEMORY   CPU  RESTARTS  PID  SESSION                               PROJECT",
			"a-plugin-with-a-long-name  ready        0  1.5ms  20ms  12.3MB  0.0%         0    1  01a1e2d0-7045-7158-8a74-5efadf14c57b  /home/somebody/projects/aura",
		},
	} {
		if got := Lines(rows, width); !reflect.DeepEqual(got, want) {
			t.Errorf("%d columns:\n%q, want\n%q", width, got, want)
		}
	}
	for width := range 160 {
		for _, line := range Lines(rows, width) {
			if terminal.Width(line) > width {
				t.Errorf("%d columns: %q", width, line)
			}
		}
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	for us, want := range map[float64]string{0: "-", 7: "7µs", 999: "999µs", 1000: "1.0ms", 9940: "9.9ms", 25_000: "25ms", 1_500_000: "1.5s", 59_000_000: "59s", 90_000_000: "1.5m"} {
		if got := micros(us); got != want {
			t.Errorf("%v µs: %s, want %s", us, got, want)
		}
	}
	for n, want := range map[float64]string{0: "0", 0.25: "0.2", 9.94: "9.9", 12.3: "12", 1234: "1234"} {
		if got := rate(n); got != want {
			t.Errorf("%v calls/s: %s, want %s", n, got, want)
		}
	}
}

// TestTail reads a log while it grows, and while another begins in its place.
func TestTail(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tl := Tail{path: path}
	next := func(want ...string) {
		t.Helper()
		got, err := tl.Next()
		if err != nil || strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	if _, err := tl.Next(); !os.IsNotExist(err) {
		t.Errorf("without a log: %v", err)
	}
	write(path, "one\ntw")
	next("one")
	next()
	write(path, "one\ntwo\nthree\n")
	next("two", "three")
	write(path+".new", "\x1b[31mred\x1b]0;owned\a\nend\n")
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	next("red", "end")
	write(path, "x\n")
	next("x")

	// The beginning of a long log is left out, and an endless line is broken.
	write(path, strings.Repeat("line\n", logPart)+strings.Repeat("y", longestLine+1))
	tl = Tail{path: path}
	got, err := tl.Next()
	if err != nil || len(got) < 10 || got[0] != "line" || len(got[len(got)-1]) != longestLine+1 {
		t.Errorf("a long log: %d lines, %v", len(got), err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.DevNull, path); err != nil {
		t.Fatal(err)
	}
	if _, err := tl.Next(); err == nil {
		t.Error("a link was followed")
	}
}

// TestLogKeepsItsPlace scrolls in a log that grows beyond what is kept.
func TestLogKeepsItsPlace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	written := 0
	grow := func(n int) {
		t.Helper()
		for range n {
			written++
			if _, err := fmt.Fprintf(f, "line %d\n", written); err != nil {
				t.Fatal(err)
			}
		}
	}
	grow(2 * keptLines)
	v := newLogView(host.Status{Log: path})
	shown := func() []terminal.Styled {
		lines := v.lines(terminal.Look{}, 20, 5)
		return lines[1 : len(lines)-1]
	}
	if got := shown(); got[2] != terminal.Styled(fmt.Sprintf("line %d", written)) {
		t.Errorf("at first it shows %q", got)
	}
	v.key("up", 20, 5)
	before := fmt.Sprint(shown())
	grow(10)
	v.poll()
	if len(v.text) != keptLines {
		t.Errorf("%d lines are kept", len(v.text))
	}
	if after := fmt.Sprint(shown()); after != before {
		t.Errorf("it showed %s and shows %s", before, after)
	}
	v.key("G", 20, 5)
	grow(1)
	v.poll()
	if got := shown(); got[2] != terminal.Styled(fmt.Sprintf("line %d", written)) {
		t.Errorf("at the end it shows %q", got)
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "abc": "abc", "abcdef": "abc|def", "abcd": "abc|d", "宽宽": "宽|宽", "a\tb": "a  |  b"} {
		if got := strings.Join(wrap([]string{text}, 3), "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := wrap([]string{"宽宽"}, 1); len(got) != 2 {
		t.Errorf("on a screen that is too narrow: %q", got)
	}
}

// TestQuestion types keys around a question.
func TestQuestion(t *testing.T) {
	t.Parallel()
	var done []host.Action
	m := newModel(Options{Order: Order{Column: "plugin"}})
	m.act = func(_ host.Status, a host.Action) tea.Cmd {
		done = append(done, a)
		return nil
	}
	m.setReading(Reading{At: time.Unix(1, 0), List: []host.Status{status("p", "", nil)}})
	arm := func() { m.Update(armed{m.ask, m.ask.typed}) }
	for i, tt := range []struct {
		do   func()
		want int
	}{
		{func() { m.key("Q"); m.key("y"); m.key("y") }, 0},
		{func() { m.key("n") }, 0},
		{func() { m.Update(armed{m.ask, 0}); m.key("y") }, 0}, // keys were typed since
		{func() { arm(); m.key("x") }, 0},
		{func() { m.key("y") }, 0}, // there is no question any more
		{func() { m.key("Q"); arm(); m.key("y") }, 1},
		{func() { m.key("R"); arm(); m.key("enter") }, 1},
		{func() { m.key("R"); m.key("esc") }, 1},
		{func() {
			m.key("R")
			old := m.ask
			m.key("esc")
			m.key("Q")
			m.Update(armed{old, 0})
			m.key("y")
		}, 1},
		{func() { arm(); m.key("Y") }, 2},
	} {
		if tt.do(); len(done) != tt.want {
			t.Fatalf("after step %d: %v", i, done)
		}
	}
}

// FuzzLines gives plugins any name.
func FuzzLines(f *testing.F) {
	f.Add("name", "/home/you", "01a1", 40)
	f.Add("\x1b[31mred\u202e", "宽宽宽宽宽宽宽宽宽宽宽宽\t\n", "", 3)
	f.Fuzz(func(t *testing.T, name, project, session string, width int) {
		width = max(0, width%400)
		for _, line := range Lines([]Row{{Status: status(name, project, func(s *host.Status) { s.Session = session })}}, width) {
			if terminal.Width(line) > width {
				t.Errorf("%q is wider than %d", line, width)
			}
			if plaintext.Show(line) != line || strings.Contains(line, "\n") {
				t.Errorf("%q controls a terminal", line)
			}
		}
	})
}
