//go:build linux

package process

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// flood returns a plugin that prints a number of mebibytes at once, and then reports that it has finished. A chunk may have no
// newline.
func flood(name, stream, chunk string, mebibytes int) string {
	return fmt.Sprintf(`package %s

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/idelchi/aura/sdk"
)

func AfterToolExecution(_ context.Context, c sdk.AfterToolContext) (sdk.Result, error) {
	if c.Stats.ToolCalls != 2 {
		return sdk.Result{}, nil
	}
	chunk := strings.Repeat(%q, (1<<20)/%d)
	for i := 0; i < %d; i++ {
		if _, err := fmt.Fprint(os.%s, chunk); err != nil {
			return sdk.Result{}, err
		}
	}
	return sdk.Result{Notice: "%s is done"}, nil
}
`, name, chunk, len(chunk), mebibytes, stream, name)
}

// lineOfWater is a line of about 1 KB.
var lineOfWater = strings.Repeat("surging water ", 73) + "\n"

var floods = []struct{ name, stream, chunk string }{
	{"outlines", "Stdout", lineOfWater},
	{"outblock", "Stdout", "surging water "},
	{"errlines", "Stderr", lineOfWater},
	{"errblock", "Stderr", "surging water "},
}

// flooded runs a conversation in which each of the plugins prints that many mebibytes, and returns the peak memory of aura, in
// KiB.
func flooded(t *testing.T, mebibytes int) int64 {
	t.Helper()
	p := harness.NewProject(t)
	for _, f := range floods {
		p.Plugin(f.name, "timeout: 60s\n", flood(f.name, f.stream, f.chunk, mebibytes))
	}
	a := p.Start("run", "go")
	if code := a.Wait(); code != 0 {
		t.Fatalf("exit code %d\n%.2000s", code, p.Stderr())
	}
	p.Wants(p.Stdout(), `All done\.`)
	p.Wants(p.Stderr(), "witness saw call 4")
	for _, f := range floods {
		p.Wants(p.Stderr(), f.name+" is done")
		checkLog(t, p, f.name, mebibytes)
	}
	for name, text := range map[string][]byte{"output": p.Stdout(), "error output": p.Stderr()} {
		if bytes.Contains(text, []byte("surging")) {
			t.Errorf("the plugins' output is in aura's standard %s", name)
		}
	}
	p.NoTrace()
	usage, ok := a.Cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		t.Fatal("the system does not tell what aura used")
	}
	return usage.Maxrss
}

// logCap is the largest total size of a plugin's log and the previous log, in bytes, with some room for aura's own lines.
const logCap = 2<<20 + 64<<10

// checkLog checks that a plugin's log holds the end of the output and does not exceed the limit.
func checkLog(t *testing.T, p *harness.Project, plugin string, mebibytes int) {
	t.Helper()
	files, err := filepath.Glob(p.Log(plugin) + "*")
	p.Check(err)
	var total int64
	for _, file := range files {
		info, err := os.Stat(file)
		p.Check(err)
		total += info.Size()
	}
	if total > logCap || total < int64(min(mebibytes, 1))<<20 {
		t.Errorf("the logs of %s hold %d bytes in %d files", plugin, total, len(files))
	}
	if mebibytes > 0 && !bytes.Contains(p.Read(p.Log(plugin)), []byte("surging water")) {
		t.Errorf("the log of %s has not what it printed last", plugin)
	}
}

// TestFlood compares a conversation whose plugins print 100 MB each with one whose plugins print nothing.
func TestFlood(t *testing.T) {
	t.Parallel()
	quiet, loud := flooded(t, 0), flooded(t, 100)
	// In KiB, and less than what one plugin prints: the memory of a program with the race detector varies.
	const slack = 90 << 10
	if loud > quiet+slack {
		t.Errorf("aura used %d KiB of memory, and %d KiB when its plugins printed nothing", loud, quiet)
	}
	t.Logf("aura used %d KiB of memory, and %d KiB when its plugins printed nothing", loud, quiet)
}
