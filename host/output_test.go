package host

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/lab/testneed"
)

func TestExcerpt(t *testing.T) {
	t.Parallel()
	rows := []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"short", "one\ntwo\n", "one\ntwo"},
		{"last lines", "1\n2\n3\n4\n5\n6\n7\n8\n", "3\n4\n5\n6\n7\n8"},
		{"panic before stacks", "hello\npanic: boom\n\ngoroutine 7 [running]:\nmain.f()\n\t/x.go:1\n", "panic: boom"},
		{"panic of two lines", "panic: boom\n\tmore\ngoroutine 7 [running]:\nmain.f()\n", "panic: boom\n\tmore"},
		{"fatal error", "x\nfatal error: concurrent map writes\n\ngoroutine 1 [running]:\n", "fatal error: concurrent map writes"},
		{"signal", "x\nSIGSEGV: segmentation violation\nPC=0x1 m=0\nr15 0x2\n", "SIGSEGV: segmentation violation"},
		{"passed on", "panic: boom [recovered, repanicked]\n\ngoroutine 1\n", "panic: boom"},
		{"where it passed", "a\nmain.go:9: panic: bad.f(...)\npanic: boom\n\ngoroutine 1\n", "panic: boom\nmain.go:9: panic: bad.f(...)"},
		{
			"a compiled plugin", "panic: boom\n\ngoroutine 22 [running]:\npanic({0x1, 0x2})\n\truntime/panic.go:783 +0x132\nbad.f.func1()\n\tbad@v0.0.0/main.go:11 +0x25\n" +
				"a.b/c.G(...)\n\ta.b/c@v2.0.0/g.go:7\ncreated by bad.f in goroutine 21\n\tbad@v0.0.0/main.go:12 +0x52\n\ngoroutine 1 [select]:\nbad.h()\n\tbad@v0.0.0/main.go:9 +0x1\n",
			"panic: boom\nbad/main.go:11: panic: bad.f.func1()\na.b/c/g.go:7: panic: a.b/c.G(...)",
		},
		{"libraries of an interpreted plugin", "panic: boom\n\ngoroutine 22 [running]:\na.b/c.G(...)\n\ta.b/c@v2.0.0/g.go:7\n", "panic: boom"},
		{"the last of two", "panic: old\n\nlater\nfatal error: new\n\nx\n", "fatal error: new"},
	}
	for _, row := range rows {
		if got := excerpt(row.in, strings.HasPrefix(row.name, "a compiled")); got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
	if long := excerpt(strings.Repeat("x", 10*excerptBytes), false); len(long) > 2*excerptBytes || !strings.Contains(long, "10800 bytes left out") {
		t.Errorf("a long line is cut to %d bytes without a count: %.80s", len(long), long)
	}
}

func TestLogIsCapped(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "logs", "p.log")
	log, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	line := []byte(strings.Repeat("x", 1000) + "\n")
	for range 5 * limit.Log / len(line) {
		if _, err := log.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	log.printf("the %s", "end")
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for _, p := range []string{path, path + ".1"} {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
		if info.Size() > limit.Log {
			t.Errorf("%s has %d bytes", p, info.Size())
		}
	}
	if total < limit.Log {
		t.Errorf("only %d bytes are kept", total)
	}
	b, err := os.ReadFile(path)
	if stamp, text, _ := strings.Cut(string(b), " "); !isTime(stamp) || !strings.HasPrefix(text, "[aura] a log has at most 1 MiB; what came before is in p.log.1") {
		t.Errorf("the log begins with %.100q", b)
	}
	if err != nil || !bytes.HasSuffix(b, []byte("the end\n")) {
		t.Errorf("the last line is missing (%v)", err)
	}
}

func TestLogTroubleIsToldAtTheEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log, err := openLog(filepath.Join(dir, "p.log"))
	if err != nil {
		t.Fatal(err)
	}
	_ = log.f.Close()
	if n, err := log.Write([]byte("lost")); n != 4 || err != nil {
		t.Errorf("the plugin noticed: %d, %v", n, err)
	}
	if log.Close() == nil {
		t.Error("a lost line was not told")
	}
	var none *logFile
	if _, err := none.Write([]byte("x")); err != nil || none.Close() != nil {
		t.Error("a log that is not kept failed")
	}
}

// TestLogHides writes a secret in two pieces, and the beginning of another.
func TestLogHides(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "p.log")
	log, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	secrets := &redact.Current{}
	secrets.Set(redact.New("sk-12345678"))
	log.hide(secrets)
	for _, piece := range []string{"is sk-1234", "5678\n", "sk-"} {
		if n, err := log.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || timeless(t, string(text)) != "is [redacted]\nsk-\n" {
		t.Errorf("got %q, %v", text, err)
	}
}

func isTime(stamp string) bool {
	_, err := time.Parse(LogTime, stamp)
	return err == nil
}

// timeless returns a log without the times of its lines. A line without a time is an error.
func timeless(t *testing.T, log string) string {
	t.Helper()
	var out strings.Builder
	for line := range strings.Lines(log) {
		stamp, rest, _ := strings.Cut(line, " ")
		if !isTime(stamp) {
			t.Errorf("no time before %.60q", line)
		}
		out.WriteString(rest)
	}
	return out.String()
}

// TestLogTimes checks that each line begins with a time, however it is split, also across logs and sessions.
func TestLogTimes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", limit.Log)
	for name, row := range map[string]struct {
		pieces []string
		want   string
	}{
		"lines at once":   {[]string{"one\ntwo\n", "three\n"}, "one\ntwo\nthree\n"},
		"a line in parts": {[]string{"o", "n", "e\nt", "wo\n"}, "one\ntwo\n"},
		"empty lines":     {[]string{"\n", "\n\n"}, "\n\n\n"},
		"no end":          {[]string{"one"}, "one\n"},
		"nothing":         {[]string{""}, ""},
		"a long line":     {[]string{long + "\nend\n"}, "…"},
		"a full log":      {[]string{long[:limit.Log-len(LogTime)-2] + "\n", "end\n"}, "…"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "p.log")
			for range 2 {
				log, err := openLog(path)
				if err != nil {
					t.Fatal(err)
				}
				for _, piece := range row.pieces {
					if _, err := log.Write([]byte(piece)); err != nil {
						t.Fatal(err)
					}
				}
				if err := log.Close(); err != nil {
					t.Fatal(err)
				}
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := timeless(t, string(text))
			if row.want == "…" && !strings.HasSuffix(got, "end\n") || row.want != "…" && got != row.want+row.want {
				t.Errorf("got %.100q", got)
			}
		})
	}
}

// TestLogFollowsNoLink checks that the target of a link at the path of a log is not changed.
func TestLogFollowsNoLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, path := filepath.Join(dir, "bashrc"), filepath.Join(dir, "p.log")
	if err := os.WriteFile(target, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	testneed.Link(t, target, path)
	if log, err := openLog(path); !errors.Is(err, files.ErrLink) {
		t.Errorf("opened %v, %v", log, err)
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "mine" {
		t.Errorf("got %q, %v", text, err)
	}
}

// TestInitPanic checks which output of a compiled plugin is a panic in its init functions.
func TestInitPanic(t *testing.T) {
	t.Parallel()
	const frame = "bad.init.0()\n\tbad@v0.0.0/main.go:9 +0x25\n"
	for name, tt := range map[string]struct{ text, want string }{
		"init":                {"panic: no luck\n\ngoroutine 1 [running]:\n" + frame, "no luck (in bad.init, main.go:9)"},
		"after other output":  {"panic: printed\npanic: no luck\n\ngoroutine 1 [running]:\n" + frame, "no luck (in bad.init, main.go:9)"},
		"several lines":       {"panic: no\nluck\n\ngoroutine 1 [running]:\n" + frame, "no\nluck (in bad.init, main.go:9)"},
		"an initial value":    {"panic: no luck\n\ngoroutine 1 [running]:\nexample.com/bad.f(...)\n\texample.com/bad@v0.0.0/a.go:3\nexample.com/bad.init()\n\texample.com/bad@v0.0.0/a.go:5 +0x25\n", "no luck (in bad.f, a.go:3)"},
		"within the library":  {"panic: no luck\n\ngoroutine 1 [running]:\nregexp.MustCompile({0x1, 0x2})\n\tregexp/regexp.go:313 +0xa5\n" + frame, "no luck (in bad.init, main.go:9)"},
		"another goroutine":   {"panic: no luck\n\ngoroutine 7 [running]:\n" + frame, ""},
		"the main function":   {"panic: no luck\n\ngoroutine 1 [running]:\n" + frame + "main.main()\n\tcmd/plugin/main.go:3 +0x1\n", ""},
		"none of the plugin":  {"panic: no luck\n\ngoroutine 1 [running]:\nlog.f()\n\tlog/log.go:9 +0x25\n", ""},
		"a frame without end": {"panic: no luck\n\ngoroutine 1 [running]:\nbad.init.0", ""},
		"an odd frame":        {"panic: no luck\n\ngoroutine 1 [running]:\nbad\n\tbad@v0.0.0/main.go:9 +0x25\n", "no luck (in ., main.go:9)"},
		"no stack":            {"panic: no luck", ""},
		"no panic":            {"fatal error: out of memory\n\ngoroutine 1 [running]:\n" + frame, ""},
		"nothing":             {"", ""},
	} {
		if got, ok := initPanic(tt.text); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: got %q, %t, want %q", name, got, ok, tt.want)
		}
	}
}
